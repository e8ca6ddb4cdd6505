import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Program } from './program.ts'

const INDEX_MS = 3 * 60_000
const FETCH_MS = 15 * 60_000

/**
 * Unpacks a package of Debian or Ubuntu, with whatever it needs and this machine lacks, into `dir`. Nothing is installed and
 * nobody has to be root: apt fetches into `dir` and checks the archive's signature as always.
 */
export async function unpackDebian(dir: string, source: string): Promise<void> {
  const lists = join(dir, 'lists')
  const cache = join(dir, 'cache')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true })
  const options = [
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
    // an index that cannot be had is an error and not a warning
    'APT::Update::Error-Mode=any',
  ].flatMap((option) => ['-o', option])
  await execa('apt-get', ['-qq', ...options, 'update'], { timeout: INDEX_MS })
  const install = ['install', '-y', '--download-only', '--no-install-recommends', source]
  await execa('apt-get', ['-qq', ...options, ...install], { timeout: FETCH_MS })
  for (const name of await readdir(join(cache, 'archives')))
    if (name.endsWith('.deb')) await execa('dpkg-deb', ['-x', join(cache, 'archives', name), dir])
  for (const left of [lists, cache]) await rm(left, { recursive: true })
}

/** Installs a package: for a program that looks for its own files where its package puts them. As root, and no service is started. */
export async function installDebian(source: string): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1' }
  await execa('apt-get', ['-qq', 'update'], { env, timeout: INDEX_MS })
  await execa('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', source], { env, timeout: FETCH_MS })
}

/** What tells a program where its own files are. */
const ARGS: Record<string, (dir: string) => string[]> = {
  prometheus: (dir) => [`--web.local-assets=${join(dir, 'usr', 'share', 'prometheus', 'web')}/`],
}

/** Programs that their package does not put among all others. */
const COMMANDS: Record<string, string> = { postgres15: join('usr', 'lib', 'postgresql', '15', 'bin', 'postgres') }

/** A program of an unpacked package. */
export async function unpackedProgram(dir: string, name: string): Promise<Program> {
  const libraries: string[] = []
  for (const folder of [join(dir, 'usr', 'lib'), join(dir, 'lib')]) {
    const names = await readdir(folder).catch(() => [])
    libraries.push(...names.filter((each) => each.includes('-linux-')).map((each) => join(folder, each)))
  }
  return {
    command: join(dir, COMMANDS[name] ?? join('usr', 'bin', name)),
    args: ARGS[name]?.(dir) ?? [],
    env: libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(':') },
  }
}
