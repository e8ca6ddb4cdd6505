import type { Config } from '#platform/config.ts'
import type { Checks } from './check-runtime.ts'
import type { ApiClient } from './client/api-client.ts'
import type { Credentials } from './client/credentials.ts'

/** Dependencies of commands: settings, the API, and the terminal. */
export interface CliDeps {
  /** parses the environment; a command that needs no settings never calls it. Throws `ConfigError` */
  config(): Config
  /** the API that commands talk to, with the caller's token; `workspace` over `SVC_WORKSPACE` */
  api(workspace?: string): ApiClient
  /** the tokens that `svc login` keeps */
  credentials(): Credentials
  /** makes the first owner in the database itself. Throws `conflict` when there is an owner */
  bootstrapOwner(owner: FirstOwner): Promise<void>
  /** messages of the bus that were put aside, newest first, read in the database itself */
  deadLetters(filter: { subscriber?: string; limit: number }): Promise<DeadLetterLine[]>
  /** sends them through their subscriber once more; answers how many */
  redrive(subscriber: string, messages: number[] | 'all'): Promise<number>
  /** seals the secrets of connections with the first key of the ring, in the database itself */
  resealSecrets(): Promise<{ kid: string; resealed: number; left: { id: string; problem: string }[] }>
  /** takes over into the database what this machine's audit log holds and it does not; answers which records */
  acceptAudit(reason: string): Promise<{ from_seq: number; to_seq: number; records: number }>
  /** checks of files on this machine, without a service; loaded on demand */
  checks(): Promise<Checks>
  /** url of the Temporal Web UI, where there is one */
  temporalUi(): string | undefined
  /** path of this machine's audit log */
  auditFile(): string
  /** true at a terminal: questions may be asked */
  interactive: boolean
  /** size of the terminal of standard output; undefined without one */
  screen(): { width: number; height: number } | undefined
  /** true when npm was given `--yes`, which it does not pass on */
  npmYes(): boolean
  /** reads all of standard input */
  readInput(): Promise<string>
  /** prints a line to standard output */
  out(line: string): void
  /** prints a line to standard error */
  err(line: string): void
  /** ends the process with a code of `EXIT` */
  exit(code: number): never
}

export interface FirstOwner {
  email: string
  password: string
  display_name?: string
}

export interface DeadLetterLine {
  subscriber: string
  message_id: number
  workspace_id: string
  topic: string
  attempts: number
  error: string
  created_at: string
  redrive_at: string | null
}
