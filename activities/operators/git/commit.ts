import type { JsonObject } from '#core/json/json.ts'
import {
  defineOperator,
  type OperationTransport,
  type Operator,
  type OperatorContext,
  OperatorError,
  type Simulation,
} from '#core/operator.ts'
import type { GitFolder, GitRemote } from '#platform/git/git-program.ts'
import { cleanText } from '../clean-json.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { diffOf } from './diff.ts'
import {
  fetchCommit,
  type GitDeps,
  gitFailed,
  gitOnly,
  headOf,
  isGitFailure,
  repositoryText,
  textOf,
  withRemote,
} from './remote.ts'
import { GitCommitInput } from './schema.ts'

/** How far back a commit of an earlier attempt is looked for. */
const LOOK_BACK = 20

/**
 * Creates `git.commit`: one commit on exactly the head that was approved. A branch that moved is `plan_changed`; after a lost answer the
 * repository is asked what became of the push.
 */
export function createGitCommit(deps: GitDeps): Operator {
  return defineOperator<GitCommitInput>({
    id: 'git.commit',
    version: 1,
    title: 'Commit to a Git branch',
    risk: 'high',
    action_type: 'git.write',
    capabilities: ['git.write'],
    requires_approval: false,
    ...operatorInput(GitCommitInput),
    replay: () => 'ask',
    connection: ({ connection }) => connection,
    applyConnection: gitOnly,
    describe: (input, transport) => ({
      summary: `commit ${input.changes.length} changed ${input.changes.length === 1 ? 'file' : 'files'} to ${targetOf(input)} of ${repositoryText(input, transport)}, on ${input.parent}`,
      targets: { kind: 'git', ids: [`${input.repository}#${targetOf(input)}`] },
      diff: { format: 'text', body: shownChanges(input, transport) },
    }),
    simulate: (ctx, input) => simulate(deps, ctx, input),
    execute: async (ctx, input) => ({ outputs: await commitTo(deps, ctx, input) }),
  })
}

function targetOf({ branch, new_branch }: GitCommitInput): string {
  return new_branch ?? branch
}

/** It tells a later attempt, and people, which step has made the commit. */
function messageOf(
  { message }: GitCommitInput,
  { idempotency_key }: Pick<OperationTransport, 'idempotency_key'>,
): string {
  return `${message.trimEnd()}\n\n${trailerOf(idempotency_key)}\n`
}

const trailerOf = (key: string) => `Svc-Step: ${key}`

function shownChanges(input: GitCommitInput, transport: Pick<OperationTransport, 'idempotency_key'>): string {
  const { name, email } = input.author
  const changes = input.changes.map(({ path, text }) =>
    text === undefined ? `delete ${path}` : `write ${path}\n\n${text}`,
  )
  return [`Author: ${name} <${email}>`, `\n${messageOf(input, transport)}`, ...changes].join('\n')
}

function simulate(deps: GitDeps, ctx: OperatorContext, input: GitCommitInput): Promise<Simulation> {
  return predicted(ctx, () =>
    withRemote(deps, ctx, input, async (folder, remote) => {
      await mustBeAtParent(folder, remote, input)
      await fetchCommit(folder, remote, `refs/heads/${input.branch}`)
      const tree = await writeTree(folder, input)
      const { diff, files, truncated } = await diffOf(folder, [input.parent, tree])
      const summary = `would commit ${files.length} changed files to ${targetOf(input)} of ${input.repository}`
      return { ok: true, summary, details: { diff, files, truncated } }
    }),
  )
}

function commitTo(deps: GitDeps, ctx: OperatorContext, input: GitCommitInput): Promise<JsonObject> {
  return withRemote(deps, ctx, input, async (folder, remote) => {
    const target = targetOf(input)
    const made = await madeBefore(folder, remote, input, ctx)
    if (made !== undefined && (await treeIn(folder, made)) === (await writeTree(folder, input)))
      return { commit: made, parent: input.parent, branch: target, changed: true }
    await mustBeAtParent(folder, remote, input)
    await fetchCommit(folder, remote, `refs/heads/${input.branch}`)
    const tree = await writeTree(folder, input)
    if (tree === (await treeIn(folder, input.parent)) && input.new_branch === undefined)
      return { commit: input.parent, parent: input.parent, branch: target, changed: false }
    const commit = await commitTree(folder, input, { tree, message: messageOf(input, ctx) })
    await ctx.beforeSending()
    await push(folder, remote, input, commit)
    return { commit, parent: input.parent, branch: target, changed: true }
  })
}

const treeIn = (folder: GitFolder, commit: string) => textOf(folder, ['rev-parse', `${commit}^{tree}`])

/** The commit that says it is of an earlier attempt, where the branch has one. */
async function madeBefore(
  folder: GitFolder,
  remote: GitRemote,
  input: GitCommitInput,
  { idempotency_key }: Pick<OperatorContext, 'idempotency_key'>,
): Promise<string | undefined> {
  const target = targetOf(input)
  const head = await headOf(folder, remote, target)
  if (head === undefined || head === input.parent) return undefined
  const top = await fetchCommit(folder, remote, `refs/heads/${target}`, LOOK_BACK + 1)
  const log = await textOf(folder, [
    'log',
    '-z',
    '--first-parent',
    `--max-count=${LOOK_BACK}`,
    '--format=%H%n%P%n%B',
    top,
  ])
  const commits = log.split('\0').map((each) => each.split('\n'))
  return commits.find(
    ([, parents, ...message]) => parents === input.parent && message.includes(trailerOf(idempotency_key)),
  )?.[0]
}

async function mustBeAtParent(folder: GitFolder, remote: GitRemote, { branch, parent, new_branch }: GitCommitInput) {
  const head = await headOf(folder, remote, branch)
  if (head !== parent) throw moved(branch, head, parent)
  if (new_branch === undefined) return
  const other = await headOf(folder, remote, new_branch)
  if (other !== undefined)
    throw new OperatorError('plan_changed', `the branch ${new_branch} already exists, at ${other}: nothing was pushed`)
}

function moved(branch: string, head: string | undefined, parent: string): OperatorError {
  const now = head === undefined ? 'does not exist' : `is at ${head}`
  const message = `the branch ${branch} ${now} and not at ${parent}, which the change was made for: nothing was pushed`
  return new OperatorError('plan_changed', message, {
    details: { branch, parent, ...(head === undefined ? {} : { head }) },
  })
}

async function writeTree(folder: GitFolder, { parent, changes }: GitCommitInput): Promise<string> {
  await folder.run(['read-tree', parent])
  const lines: string[] = []
  for (const { path, text } of changes) {
    const found = await textOf(folder, ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', parent, '--', path])
    const [mode = ''] = found.split(' ')
    if (text === undefined) {
      if (found === '') throw new OperatorError('git_failed', `${path} cannot be deleted: it is not there`)
      if (mode === '040000') throw new OperatorError('git_failed', `${path} cannot be deleted: it is a folder`)
      lines.push(`0 ${'0'.repeat(40)}\t${path}\0`)
      continue
    }
    if (found !== '' && !/^100(644|755)$/.test(mode))
      throw new OperatorError('git_failed', `${path} is no plain file there`)
    const oid = await textOf(folder, ['hash-object', '-w', '--stdin'], text)
    lines.push(`${mode === '' ? '100644' : mode} ${oid}\t${path}\0`)
  }
  await folder.run(['update-index', '-z', '--index-info'], { input: lines.join('') })
  const tree = await textOf(folder, ['write-tree'])
  await mustBeShown(folder, [parent, tree], changes)
  return tree
}

/** Git makes room for a new file: what stands in its way would be deleted, and no approver has seen that. */
async function mustBeShown(folder: GitFolder, [parent, tree]: [string, string], changes: GitCommitInput['changes']) {
  const changed = await textOf(folder, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', parent, tree])
  const other = changed.split('\0').find((path) => path !== '' && !changes.some((shown) => shown.path === path))
  if (other !== undefined)
    throw new OperatorError(
      'git_failed',
      `${cleanText(other)} is in the way of a change: delete it in a step of its own`,
    )
}

async function commitTree(
  folder: GitFolder,
  { parent, author: { name, email } }: GitCommitInput,
  { tree, message }: { tree: string; message: string },
): Promise<string> {
  const as = ['-c', `user.name=${name}`, '-c', `user.email=${email}`]
  return await textOf(folder, [...as, 'commit-tree', tree, '-p', parent], message)
}

/** The answer of a server that has taken nothing. */
const REFUSED = /^ ! \[(remote )?rejected\]/m

async function push(folder: GitFolder, remote: GitRemote, input: GitCommitInput, commit: string): Promise<void> {
  const { branch, new_branch, parent } = input
  const ref = `refs/heads/${targetOf(input)}`
  // an empty value: there must be no such branch
  const lease = `--force-with-lease=${ref}:${new_branch === undefined ? parent : ''}`
  try {
    await folder.run(['push', '--quiet', lease, remote.url, `${commit}:${ref}`])
  } catch (error) {
    if (!isGitFailure(error)) throw error
    const failed = gitFailed(error, input)
    if (failed.code === 'login_refused') throw failed
    const head = await headOf(folder, remote, targetOf(input)).catch(() => null)
    // whatever git makes of the answer: the branch tells
    if (head === commit) return
    if (/stale info|fetch first|non-fast-forward/.test(error.said))
      throw moved(targetOf(input), head ?? undefined, parent)
    const is_as_it_was = head === (new_branch === undefined ? parent : undefined)
    if (failed.code !== 'unreachable' && (is_as_it_was || REFUSED.test(error.said))) throw failed
    if (is_as_it_was) {
      throw new OperatorError('connection_lost', `${failed.message}; the branch ${branch} is as it was`, {
        retryable: true,
        cause: error,
      })
    }
    throw new OperatorError('connection_lost', `${failed.message}; it is not known whether ${commit} was taken`, {
      unknown_outcome: true,
      details: { commit, branch: targetOf(input) },
      cause: error,
    })
  }
}
