import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, loadConfig } from '../config.ts'

export const EXIT_CONFIG = 78

/** Reads the settings of this process. On a fault it prints all of them, and exits. */
export function readConfig(): Config {
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(EXIT_CONFIG)
  }
}

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))

/** Returns the arguments of node for a program of ours, such as `api/main.ts`: the one way to start a process. */
export function programArgs(program: string, ...args: string[]): string[] {
  return [RUN, program, ...args]
}

/**
 * For fault tests only: kills the process silently at the named point, like a power cut. `point@text` kills it there only when the
 * processed item contains the text.
 */
export function killAt(point: string | undefined): (reached: string, content?: string) => void {
  const [named, text = ''] = point?.split('@') ?? []
  return (reached, content = '') => {
    if (reached === named && content.includes(text)) process.kill(process.pid, 'SIGKILL')
  }
}
