import type { Config } from '#platform/config.ts'

/** What a command gets from `main.ts`: settings, and the terminal. */
export interface CliDeps {
  /** parses the environment; a command that needs no settings never calls it. Throws `ConfigError` */
  config(): Config
  /** base url of the API that commands talk to */
  apiUrl(): string
  /** url of the Temporal Web UI */
  temporalUi(): string
  /** path of this machine's audit log */
  auditFile(): string
  /** one line to standard output */
  out(line: string): void
  /** one line to standard error */
  err(line: string): void
  /** ends the process with a code of `EXIT` */
  exit(code: number): never
}
