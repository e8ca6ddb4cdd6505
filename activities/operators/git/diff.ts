import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type Operator, type OperatorContext } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { GitFolder } from '#platform/git/git-program.ts'
import { cleanText } from '../clean-json.ts'
import { operatorInput } from '../operator-input.ts'
import { fetchCommit, type GitDeps, gitOnly, repositoryText, textOf, withRemote } from './remote.ts'
import { GitDiffInput } from './schema.ts'
import { simulateReach } from './simulate.ts'

const MAX_DIFF_BYTES = 256 * 1024
const MAX_READ_BYTES = 16 * 1024 * 1024
const MAX_FILES = 1_000
/** Nothing that the repository says of itself runs or rewrites a diff. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--full-index']

/** Creates `git.diff`: what differs between two commits. */
export function createGitDiff(deps: GitDeps): Operator {
  return defineOperator<GitDiffInput>({
    id: 'git.diff',
    version: 1,
    title: 'Compare commits of a Git repository',
    risk: 'low',
    action_type: 'read',
    capabilities: ['git.read'],
    requires_approval: false,
    ...operatorInput(GitDiffInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    applyConnection: gitOnly,
    describe: (input, transport) => ({
      summary: `compare ${input.from} with ${input.to} of ${repositoryText(input, transport)}`,
      targets: { kind: 'git', ids: [input.repository] },
    }),
    simulate: (ctx, input) => simulateReach(deps, ctx, input, `would compare ${input.from} with ${input.to}`),
    execute: async (ctx, input) => ({ outputs: await compare(deps, ctx, input) }),
  })
}

function compare(deps: GitDeps, ctx: OperatorContext, input: GitDiffInput): Promise<JsonObject> {
  return withRemote(deps, ctx, input, async (folder, remote) => {
    const from = await fetchCommit(folder, remote, input.from)
    const to = await fetchCommit(folder, remote, input.to)
    return { from, to, same: from === to, ...(await diffOf(folder, [from, to], input.paths)) }
  })
}

/** The difference of two trees: the files, and as much of the text as a step keeps. */
export async function diffOf(folder: GitFolder, [from, to]: [string, string], paths: string[] = []) {
  const tail = [from, to, '--', ...paths]
  const stat = await textOf(folder, ['--literal-pathspecs', 'diff-tree', '-r', '-z', '--numstat', ...PLAIN, ...tail])
  const lines = stat.split('\0').filter((line) => line !== '')
  const files = lines.slice(0, MAX_FILES).map((line) => {
    const [added = '', deleted = '', path = ''] = line.split('\t')
    // git counts no lines of what is no text
    return { path: cleanText(path), added: Number(added) || 0, deleted: Number(deleted) || 0 }
  })
  const out = await folder.run(['--literal-pathspecs', 'diff-tree', '-r', '-p', ...PLAIN, ...tail], {
    max_output: MAX_READ_BYTES,
  })
  const text = cleanText(out.toString('utf8'))
  return {
    diff: cutText(text, MAX_DIFF_BYTES),
    files,
    file_count: lines.length,
    truncated: text.length > MAX_DIFF_BYTES || lines.length > MAX_FILES,
  }
}
