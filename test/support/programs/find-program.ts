import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import type { Program, ProgramSource } from './program.ts'

const ANSWERS_WITHIN_MS = 20_000

/** The program that its variable names or that stands on the PATH and runs; what does not run is passed over. */
export async function findProgram(source: ProgramSource): Promise<Program | undefined> {
  const given = process.env[source.variable]
  if (given) {
    const program = { command: given, env: {} }
    if (await runs(program)) return program
    throw new Error(`${source.variable}=${given} does not run`)
  }
  for (const name of source.names) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const program = { command: join(folder, name), env: {} }
      if (await runs(program)) return program
    }
  }
  return undefined
}

/** Whether it answers `--version`: a stub that a distribution leaves in a program's place does not. */
export async function runs({ command, env }: Program): Promise<boolean> {
  const { failed } = await execa(command, ['--version'], { env, reject: false, timeout: ANSWERS_WITHIN_MS })
  return !failed
}
