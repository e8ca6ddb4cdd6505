import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import lockfile from 'proper-lockfile'
import { findProgram, runs } from './find-program.ts'
import { type Missing, type Program, type ProgramName, SOURCES } from './program.ts'
import { cureOf, type Way, waysTo } from './ways.ts'

const TICK_MS = 15_000
/** As long as the slowest way may take, one a second. */
const LOCK_TRIES = 2_400

export interface ProvideOptions {
  /** directory of the cached programs */
  cacheDir: string
  onProgress: (line: string) => void
}

/** Finds a program on this machine: named by its variable, on the PATH, in the cache; else brings it, which takes a while once. */
export async function provideProgram(name: ProgramName, options: ProvideOptions): Promise<Program | Missing> {
  const source = SOURCES[name]
  const { cacheDir, onProgress } = options
  const reasons: string[] = []
  try {
    const found = await findProgram(source)
    if (found !== undefined) return found
    const ways = (await waysTo(name)).map((way) => ({ way, dir: join(cacheDir, `${name}-${way.id}`) }))
    // what was brought before comes first: the way that failed then is not tried again each time
    for (const { way, dir } of ways.toSorted((a, b) => Number(existsSync(b.dir)) - Number(existsSync(a.dir)))) {
      try {
        return await cached(dir, way, (said) => onProgress(`${source.title} is not on this machine: ${said}`))
      } catch (error) {
        reasons.push(messageOf(error))
      }
    }
  } catch (error) {
    reasons.push(messageOf(error))
  }
  return {
    why: reasons.join('; ') || 'it is not on the PATH, and nothing on this machine brings it',
    cure: await cureOf(source),
  }
}

/** Fills the directory unless what is in it runs; it appears under its name whole or not at all. */
async function cached(dir: string, way: Way, onProgress: (said: string) => void): Promise<Program> {
  const parent = dirname(dir)
  await mkdir(parent, { recursive: true })
  const release = await lockfile.lock(dir, {
    realpath: false,
    stale: 10_000,
    retries: { retries: LOCK_TRIES, factor: 1, minTimeout: 1_000 },
  })
  try {
    const before = await way.program(dir)
    if (await runs(before)) return before
    onProgress(`${way.says}, once`)
    const began = Date.now()
    const ticker = setInterval(() => onProgress(`${way.says}: ${Math.round((Date.now() - began) / 1_000)} s`), TICK_MS)
    const scratch = await mkdtemp(join(parent, '.fetch-'))
    try {
      await way.fetch(scratch)
      if (!(await runs(await way.program(scratch)))) throw new Error('what was brought does not run here')
      await rm(dir, { recursive: true, force: true })
      await rename(scratch, dir)
    } finally {
      clearInterval(ticker)
      await rm(scratch, { recursive: true, force: true })
    }
    return await way.program(dir)
  } finally {
    await release()
  }
}

/** One line. npm and apt say first what went wrong and end with advice; others end with what went wrong. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim().split('\n') : []
  const [first = ''] = error.message.split('\n')
  return said.find((line) => /^(npm error|E:) /.test(line)) ?? (said.at(-1) || first)
}
