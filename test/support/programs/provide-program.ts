import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, runs } from './find-program.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { type Missing, type Program, type ProgramName, type ProgramSource, SOURCES } from './program.ts'
import { cureOf, type Way, waysTo } from './ways.ts'

export interface ProvideOptions {
  /** directory of the cached programs */
  cacheDir: string
  onProgress: (line: string) => void
}

const TICK_MS = 15_000
const SCRATCH = '.fetch-'

/** Finds a program on this machine: named by its variable, on the PATH, in the cache; else brings it, which takes a while once. */
export async function provideProgram(name: ProgramName, options: ProvideOptions): Promise<Program | Missing> {
  const source = SOURCES[name]
  try {
    const found = await findProgram(source)
    if (found !== undefined) return found
  } catch (error) {
    return { why: messageOf(error), cure: `unset ${source.variable}` }
  }
  const ways = (await waysTo(name)).map((way) => ({ way, dir: join(options.cacheDir, `${name}-${way.id}`) }))
  // what was brought before asks for nothing: not for what brought it, not for a cache that can be written
  for (const { way, dir } of ways) {
    const program = await brought(dir, way)
    if (program !== undefined) return program
  }
  const reasons: string[] = []
  for (const { way, dir } of ways.filter(({ way: { possible } }) => possible)) {
    try {
      return await bring(dir, way, source, options)
    } catch (error) {
      reasons.push(messageOf(error))
    }
  }
  return {
    why: reasons.join('; ') || 'it is not on the PATH, and nothing on this machine brings it',
    cure: await cureOf(source),
  }
}

/** What stands in the cache, where it runs here: it may be of another machine, or the rest of something. */
async function brought(dir: string, way: Way): Promise<Program | undefined> {
  if (!existsSync(dir)) return undefined
  const program = await way.program(dir)
  return (await runs(program)) ? program : undefined
}

/** Fills the directory unless somebody has; it appears under its name whole or not at all. */
async function bring(dir: string, way: Way, source: ProgramSource, options: ProvideOptions): Promise<Program> {
  const { cacheDir, onProgress } = options
  await mkdir(cacheDir, { recursive: true })
  const onWait = () => onProgress(`${source.title}: waiting for another run that brings a program`)
  return oneAtATime(cacheDir, onWait, async () => {
    const byAnother = await brought(dir, way)
    if (byAnother !== undefined) return byAnother
    await removeScratch(cacheDir)
    onProgress(`${source.title} is not on this machine: ${way.says}, once`)
    const began = Date.now()
    const said = () => onProgress(`${source.title}: ${way.says}: ${Math.round((Date.now() - began) / 1_000)} s`)
    const ticker = setInterval(said, TICK_MS)
    const scratch = await mkdtemp(join(cacheDir, SCRATCH))
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
  })
}

/** What a fetch left that was killed. */
async function removeScratch(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir))
    if (name.startsWith(SCRATCH)) await rm(join(cacheDir, name), { recursive: true, force: true })
}

/** One line. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [own = ''] = ('shortMessage' in error ? String(error.shortMessage) : error.message).split('\n')
  // what a program said last before it was stopped is not the reason
  if ('timedOut' in error && error.timedOut === true) return own
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim().split('\n') : []
  // apt says first what went wrong and ends with advice; others end with what went wrong
  return said.find((line) => /^(npm error|E:) /.test(line)) ?? (said.at(-1) || own)
}
