import { accessSync, constants } from 'node:fs'
import { delimiter, resolve, sep } from 'node:path'
import { execa } from 'execa'
import type { Program, ProgramSource } from './program.ts'

const ANSWERS_WITHIN_MS = 20_000

/** The program that its variable names or that stands on the PATH and runs; what does not run is passed over. */
export async function findProgram(source: ProgramSource): Promise<Program | undefined> {
  const given = process.env[source.variable]
  if (given) {
    // it is started from other directories than this one
    const program = { command: given.includes(sep) ? resolve(given) : given, env: {} }
    if (await runs(program, source.question)) return program
    throw new Error(`${source.variable}=${given} does not run`)
  }
  for (const name of source.names) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const program = { command: resolve(folder, name), env: {} }
      if (isExecutable(program.command) && (await runs(program, source.question))) return program
    }
  }
  return undefined
}

/** Whether it answers `--version`: a stub that a distribution leaves in a program's place does not. */
export async function runs({ command, env }: Program, question = '--version'): Promise<boolean> {
  // without pipes: what a program has started may hold them long after the program has ended
  const options = { env, reject: false, stdio: 'ignore', timeout: ANSWERS_WITHIN_MS } as const
  const { failed } = await execa(command, [question], options)
  return !failed
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
