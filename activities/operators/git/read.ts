import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { GitFolder } from '#platform/git/git-program.ts'
import { cleanText } from '../clean-json.ts'
import { operatorInput } from '../operator-input.ts'
import { fetchCommit, type GitDeps, gitOnly, repositoryText, textOf, withRemote } from './remote.ts'
import { GitReadInput } from './schema.ts'
import { simulateReach } from './simulate.ts'

const MAX_FILE_BYTES = 512 * 1024
const MAX_ALL_BYTES = 1024 * 1024
const MAX_LISTED = 1_000
const MAX_LIST_BYTES = 8 * 1024 * 1024

/** Creates `git.read`: the head of a branch, a tag or a commit, with files, names and the last commits. */
export function createGitRead(deps: GitDeps): Operator {
  return defineOperator<GitReadInput>({
    id: 'git.read',
    version: 1,
    title: 'Read a Git repository',
    risk: 'low',
    action_type: 'read',
    capabilities: ['git.read'],
    requires_approval: false,
    ...operatorInput(GitReadInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection: gitOnly,
    describe: (input, transport) => ({
      summary: `read ${input.paths?.join(', ') ?? 'the head'} at ${input.ref ?? 'HEAD'} of ${repositoryText(input, transport)}`,
      targets: { kind: 'git', ids: [input.repository] },
    }),
    simulate: (ctx, input) => simulateReach(deps, ctx, input, `would read ${input.repository}`),
    execute: async (ctx, input) => ({ outputs: await read(deps, ctx, input) }),
  })
}

function read(deps: GitDeps, ctx: OperatorContext, input: GitReadInput): Promise<JsonObject> {
  return withRemote(deps, ctx, input, async (folder, remote) => {
    const commit = await fetchCommit(folder, remote, input.ref ?? 'HEAD', input.log ?? 1)
    const [head] = await logOf(folder, commit, 1)
    return {
      ...head,
      commit,
      ...(input.paths === undefined ? {} : { files: await filesOf(folder, commit, input.paths) }),
      ...(input.list === undefined ? {} : await listOf(folder, commit, input.list)),
      ...(input.log === undefined ? {} : { log: await logOf(folder, commit, input.log) }),
    }
  })
}

async function logOf(folder: GitFolder, commit: string, count: number) {
  const text = await textOf(folder, [
    'log',
    '-z',
    '--first-parent',
    `--max-count=${count}`,
    '--format=%H%n%cI%n%an%n%s',
    commit,
  ])
  return text
    .split('\0')
    .filter((each) => each !== '')
    .map((each) => {
      const [id = '', at = '', author = '', subject = ''] = each.split('\n')
      return { commit: id, at, author: shown(author), subject: shown(subject) }
    })
}

/** Texts by their path; a path that is no file there is not among them. */
async function filesOf(folder: GitFolder, commit: string, paths: string[]): Promise<JsonObject> {
  const entries = (await treeOf(folder, commit, paths)).filter(({ path }) => paths.includes(path))
  const files: [string, string | null][] = []
  let bytes = 0
  for (const { path, type, oid, size } of entries) {
    if (type !== 'blob') throw new OperatorError('git_failed', `${path} is no file`)
    bytes += size
    if (size > MAX_FILE_BYTES || bytes > MAX_ALL_BYTES)
      throw new OperatorError(
        'response_too_large',
        `${path} has ${size} bytes, and a step keeps ${MAX_FILE_BYTES} of a file and ${MAX_ALL_BYTES} of all`,
      )
    const body = await folder.run(['cat-file', 'blob', oid])
    const text = body.toString('utf8')
    files.push([path, Buffer.from(text).equals(body) && !text.includes('\0') ? text : null])
  }
  return Object.fromEntries(files)
}

async function listOf(folder: GitFolder, commit: string, path: string) {
  const entries = (await treeOf(folder, commit, path === '' ? [] : [path])).filter(({ type }) => type === 'blob')
  return {
    list: entries.slice(0, MAX_LISTED).map((entry) => shown(entry.path)),
    truncated: entries.length > MAX_LISTED,
  }
}

async function treeOf(folder: GitFolder, commit: string, paths: string[]) {
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--long', '--full-tree', commit, '--', ...paths]
  const out = await folder.run(args, { max_output: MAX_LIST_BYTES })
  return out
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const [facts = '', path = ''] = line.split('\t')
      const [mode = '', type = '', oid = '', size = ''] = facts.split(/ +/)
      return { mode, type, oid, size: Number(size) || 0, path }
    })
}

function shown(text: string): string {
  return cleanText(cutText(text, 500))
}
