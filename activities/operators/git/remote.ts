import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Git, GitFailure, GitFolder, GitRemote } from '#platform/git/git-program.ts'
import { cleanText } from '../clean-json.ts'
import { credentialsOf, urlBelow } from '../http/target.ts'
import { required } from '../required.ts'

const MAX_BYTES = 128 * 1024 * 1024
const MAX_MEMORY = 1024 * 1024 * 1024
const SAID_CHARS = 300

export interface GitDeps {
  egress: EgressClient
  git?: Git
}

export interface Repository {
  connection: string
  repository: string
}

/** The url of a repository, which cannot leave its connection. */
export function repositoryUrl({ connection: id, repository }: Repository, connection: Connection): string {
  return urlBelow(connection, id, repository)
}

/** The input as it is, where its connection leads to a repository over HTTP. */
export function gitOnly<Input extends Repository>(input: Input, connection: Connection): Input {
  repositoryUrl(input, connection)
  return input
}

export function repositoryText(
  { connection, repository }: Repository,
  transport: { connection?: { target: Parameters<typeof connectionText>[1] } },
): string {
  return `${repository} of ${connectionText(connection, transport.connection?.target)}`
}

/** Resolves and checks the host, and works in a temporary repository. Failures of git are OperatorErrors. */
export async function withRemote<Result>(
  deps: GitDeps,
  ctx: Pick<OperatorContext, 'connection' | 'environment' | 'signal'>,
  input: Repository,
  work: (folder: GitFolder, remote: GitRemote) => Promise<Result>,
): Promise<Result> {
  const git = required(deps.git, 'this process runs no git')
  const connection = await ctx.connection(input.connection)
  const url = repositoryUrl(input, connection)
  const { addresses } = await deps.egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
  const remote = { url, addresses, ...credentialsOf(connection) }
  try {
    const limits = { signal: ctx.signal, max_bytes: MAX_BYTES, max_memory: MAX_MEMORY }
    return await git.open(remote, limits, (folder) => work(folder, remote))
  } catch (error) {
    throw isGitFailure(error) ? gitFailed(error, input) : error
  }
}

/** Fetches a branch, a tag or a commit without its history, and answers the id of its commit. */
export async function fetchCommit(folder: GitFolder, remote: GitRemote, ref: string, depth = 1): Promise<string> {
  await folder.run(['fetch', '--quiet', '--no-tags', `--depth=${depth}`, remote.url, ref])
  return await textOf(folder, ['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])
}

/** The head of a branch there; undefined where there is no such branch. */
export async function headOf(folder: GitFolder, remote: GitRemote, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`
  const lines = (await textOf(folder, ['ls-remote', '--quiet', remote.url, ref])).split('\n')
  return lines.map((line) => line.split('\t')).find(([, name]) => name === ref)?.[0]
}

export async function textOf(folder: GitFolder, args: string[], input?: string): Promise<string> {
  return (await folder.run(args, input === undefined ? {} : { input })).toString('utf8').trimEnd()
}

export function isGitFailure(error: unknown): error is GitFailure {
  return error instanceof Error && error.name === 'GitFailure'
}

const NO_LOGIN =
  /Authentication failed|could not read (Username|Password)|returned error: 40[13]\b|terminal prompts disabled/i
const NO_WAY =
  /Failed to connect|Could not resolve|Connection (refused|reset|timed out)|Empty reply|early EOF|RPC failed|hung up|unexpected disconnect|Operation too slow|returned error: 5\d\d\b/i
const NO_TLS = /certificate|SSL|TLS/

/** A failure of git in its own words. */
export function gitFailed(failure: GitFailure, { repository }: Repository): OperatorError {
  const { reason, said } = failure
  if (reason === 'missing')
    return new OperatorError('not_configured', 'there is no git of version 2.37 or later on the PATH of this worker')
  if (reason === 'too_large')
    return new OperatorError(
      'response_too_large',
      `${repository} is larger than ${MAX_BYTES} bytes, or takes more than ${MAX_MEMORY} bytes of memory`,
    )
  const words = saidText(said)
  if (NO_LOGIN.test(said)) return new OperatorError('login_refused', `${repository} refuses the sign-in: ${words}`)
  const passing = NO_WAY.test(said)
  if (passing || NO_TLS.test(said))
    return new OperatorError('unreachable', `${repository} cannot be reached: ${words}`, { retryable: passing })
  return new OperatorError('git_failed', `${repository}: ${words}`)
}

/** The lines that say what went wrong, in one, cut to size. */
function saidText(said: string): string {
  const lines = cleanText(said)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const errorLines = lines.filter((line) => /^(fatal|error|remote|!)/.test(line))
  const text = (errorLines.length === 0 ? lines : errorLines).join('; ').replaceAll(/\s+/g, ' ')
  return text.length > SAID_CHARS ? `${cutText(text, SAID_CHARS)}…` : text
}
