import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import lockfile from 'proper-lockfile'
import { DomainError } from '#core/errors.ts'

export interface TemporalServerOptions {
  /** SVC_TEMPORAL_CLI: nothing else is tried when it is set */
  cli: string | undefined
  /** directory of the cached program */
  cacheDir: string
  onProgress: (line: string) => void
}

export interface TemporalServer {
  binary: string
  /** such as "1.29" */
  version: string
}

/** As long as a build from source may take. */
const LOCK_WITHIN_MS = 600_000
const LOCK_RETRY_MS = 500

const CHOICES = [
  'set TEMPORAL_ADDRESS to a cluster of yours',
  'set SVC_TEMPORAL_CLI to a `temporal` program (server 1.29 or newer)',
  'install the Temporal CLI so that `temporal` is on the PATH',
  'let this machine reach https://temporal.download',
  'install Go 1.25 or newer, so that it can be built from source',
]

/** Finds a `temporal` program: the given one, the PATH, the cache; else downloads it, else builds it with Go. */
export async function resolveTemporalServer({
  cli,
  cacheDir,
  onProgress,
}: TemporalServerOptions): Promise<TemporalServer> {
  if (cli)
    return {
      binary: cli,
      version: await readServerVersion(cli).catch((cause) =>
        refuse(`SVC_TEMPORAL_CLI=${cli} is not usable: ${messageOf(cause)}`, cause),
      ),
    }
  const cached = join(cacheDir, process.platform === 'win32' ? 'temporal.exe' : 'temporal')
  const found = (await tryServer('temporal', onProgress)) ?? (await tryServer(cached, onProgress))
  return found ?? (await install(cacheDir, cached, onProgress))
}

async function install(cacheDir: string, cached: string, onProgress: (line: string) => void): Promise<TemporalServer> {
  await mkdir(cacheDir, { recursive: true })
  const release = await lockCache(cacheDir)
  try {
    const byAnother = await tryServer(cached, onProgress)
    if (byAnother) return byAnother
    const { buildTemporal, downloadTemporal } = await import('./install-temporal.ts')
    const failures: string[] = []
    for (const attempt of [downloadTemporal, buildTemporal]) {
      try {
        await attempt(cached, onProgress)
        return { binary: cached, version: await readServerVersion(cached) }
      } catch (error) {
        failures.push(messageOf(error))
      }
    }
    return refuse(
      `there is no Temporal server on this machine (${failures.join('; ')}).\nOne of these helps:\n  - ${CHOICES.join('\n  - ')}`,
    )
  } finally {
    await release()
  }
}

/** Waits for other installers here, but not for any other fault of the directory. */
async function lockCache(cacheDir: string): Promise<() => Promise<void>> {
  const deadline = Date.now() + LOCK_WITHIN_MS
  for (;;) {
    try {
      return await lockfile.lock(cacheDir, { stale: 10_000 })
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'ELOCKED'
      if (!taken || Date.now() > deadline)
        return refuse(`the cache ${cacheDir} cannot be locked: ${messageOf(error)}`, error)
      await delay(LOCK_RETRY_MS)
    }
  }
}

/** A missing program is skipped silently, one that is too old with a line. */
async function tryServer(binary: string, onProgress: (line: string) => void): Promise<TemporalServer | undefined> {
  try {
    return { binary, version: await readServerVersion(binary) }
  } catch (error) {
    if (error instanceof DomainError) onProgress(error.message)
    return undefined
  }
}

/** Tells whether `start-dev` has a flag: versions differ. */
export async function knowsFlag(binary: string, flag: string): Promise<boolean> {
  const { stdout } = await execa(binary, ['server', 'start-dev', '--help'], { reject: false, timeout: 20_000 })
  return stdout.includes(flag)
}

function refuse(message: string, cause?: unknown): never {
  throw new DomainError('dependency_unavailable', message, {}, { cause })
}

function messageOf(error: unknown): string {
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage)
  return error instanceof Error ? error.message : String(error)
}

const LEAST_MINOR = 29

/** Reads the server's version out of `temporal --version`, such as "1.29"; refuses a server older than 1.29. */
export async function readServerVersion(binary: string): Promise<string> {
  const { stdout } = await execa(binary, ['--version'], { timeout: 20_000 })
  const version = parseServerVersion(stdout)
  if (!version)
    throw new DomainError(
      'dependency_unavailable',
      `${binary} does not report its Temporal server's version: ${stdout.trim()}`,
    )
  if (version.major === 1 && version.minor < LEAST_MINOR) {
    throw new DomainError(
      'dependency_unavailable',
      `${binary} contains Temporal server ${version.major}.${version.minor}; at least 1.${LEAST_MINOR} is needed`,
    )
  }
  return `${version.major}.${version.minor}`
}

/** The label `Server x.y.z` counts: a CLI built from source calls itself 0.0.0-DEV. */
export function parseServerVersion(text: string): { major: number; minor: number } | undefined {
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(text) ?? []
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined
}
