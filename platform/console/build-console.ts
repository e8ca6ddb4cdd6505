import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isThere } from '../program/release-all.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['console', 'client']
const LONGEST_MS = 120_000
/** the API starts before the page is built */
const LOW_PRIORITY = 10

/** Builds the console, unless this very content was built before; answers with the folder of the build. */
export async function buildConsole(caches: readonly string[]): Promise<string> {
  const name = `console-${await digestOfSources()}`
  for (const cache of caches) {
    const built = join(cache, name)
    if (await isThere(join(built, 'index.html'))) return built
  }
  const refusals: unknown[] = []
  for (const cache of caches) {
    try {
      return await buildInto(cache, name)
    } catch (error) {
      refusals.push(error)
    }
  }
  throw new AggregateError(refusals, 'the console could not be built')
}

async function buildInto(cache: string, name: string): Promise<string> {
  const draft = join(cache, `console-draft-${randomUUID()}`)
  const built = join(cache, name)
  try {
    await runBuild(draft)
    // the one who was faster has built the same
    await rename(draft, built).catch(async (error: unknown) => {
      if (!(await isThere(join(built, 'index.html')))) throw error
    })
    return built
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** In a process of its own: the build takes a processor for some seconds, and the API must answer meanwhile. */
async function runBuild(folder: string): Promise<void> {
  const script = join(ROOT, 'console', 'build.mjs')
  await new Promise<void>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [script, folder],
      { cwd: ROOT, timeout: LONGEST_MS, env: { NODE_ENV: 'production' } },
      (error, _out, stderr) => (error === null ? resolve() : reject(new Error(stderr.slice(-2_000), { cause: error }))),
    )
    try {
      if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY)
    } catch {
      // it has ended already, or the system refuses
    }
  })
}

/** Of everything that the build is made of: the sources, the client, and the packages as they are locked. */
async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256')
  const lists = await Promise.all(
    FOLDERS.map((folder) => readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })),
  )
  const paths = lists.flat().flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
  for (const path of [join(ROOT, 'package-lock.json'), join(ROOT, 'tsconfig.json'), ...paths.sort()])
    hash.update(`${path.slice(ROOT.length)}\n`).update(await readFile(path))
  return hash.digest('hex').slice(0, 20)
}
