import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programOf } from './programs/needs.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const exec = promisify(execFile)

export const LANGUAGES = ['typescript', 'python', 'go'] as const
export type Language = (typeof LANGUAGES)[number]

/** Builds the example in Go to this file. */
export async function buildGoWorker(file: string): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: '0' }
  await exec(programOf('go').command, ['build', '-o', file, '.'], { cwd: join(EXAMPLES, 'go'), env })
}

/** Starts the worker of an example; that in Go is the file that was built. */
export function startExampleWorker(language: Language, env: Record<string, string>, goFile: string): ChildProcess {
  const commands: Record<Language, () => [string, ...string[]]> = {
    typescript: () => [process.execPath, '--import', 'tsx', join(EXAMPLES, 'typescript/worker.ts')],
    python: () => [programOf('temporalpython').command, join(EXAMPLES, 'python/worker.py')],
    go: () => [goFile],
  }
  const [command, ...args] = commands[language]()
  return spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
}
