import type { Config } from '#platform/config.ts'

/** What a command gets from `main.ts`: settings, and the terminal. */
export interface CliDeps {
  /** parses the environment; a command that needs no settings never calls it. Throws `ConfigError` */
  config: () => Config
  /** one line to standard output */
  print: (line: string) => void
  /** one line to standard error */
  printError: (line: string) => void
  /** ends the process with a code of `EXIT` */
  exit: (code: number) => never
}
