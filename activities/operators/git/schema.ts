import { z } from 'zod'
import { ConnectionId } from '../field-schema.ts'

const MAX_TEXT = 512 * 1024

/** Below the base url of the connection. */
const Repository = z
  .string()
  .min(1)
  .max(300)
  .regex(/^(?!-)[A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*$/, 'a path below the base url of the connection')
  .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'a path without . and ..')
  .describe('Path below the base URL of the connection, such as `team/shop.git`')

const RefName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._/+-]*$/, 'the name of a branch or a tag')
  .refine((name) => !/\.\.|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(name), 'the name of a branch or a tag')

const CommitId = z.string().regex(/^[0-9a-f]{40}$/, 'a commit by its 40 hexadecimal digits')

const Path = z
  .string()
  .min(1)
  .max(400)
  .regex(/^[^\p{Cc}\\]+$/u, 'a path without control characters and backslashes')
  .refine(
    (path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/^\.git$/i.test(part)),
    'a path within the repository',
  )

const Line = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}<>]+$/u, 'one line without < and >')

const Where = { connection: ConnectionId, repository: Repository }

/** What `git.read` takes. */
export const GitReadInput = z.strictObject({
  ...Where,
  ref: RefName.exactOptional().describe('Branch, tag or commit; default: what HEAD of the repository is'),
  paths: z.array(Path).min(1).max(50).exactOptional().describe('Files whose text is read'),
  list: z
    .union([z.literal(''), Path])
    .exactOptional()
    .describe('A folder whose files are listed, with those below; empty: all'),
  log: z.int().min(1).max(50).exactOptional().describe('How many of the last commits are listed'),
})
export type GitReadInput = z.infer<typeof GitReadInput>

/** What `git.diff` takes. */
export const GitDiffInput = z.strictObject({
  ...Where,
  from: RefName.describe('Branch, tag or commit'),
  to: RefName.describe('Branch, tag or commit'),
  paths: z.array(Path).min(1).max(50).exactOptional().describe('Files and folders that count; default: all'),
})
export type GitDiffInput = z.infer<typeof GitDiffInput>

const Change = z
  .strictObject({
    path: Path,
    text: z.string().max(MAX_TEXT).exactOptional().describe('The whole file as it will be'),
    delete: z.literal(true).exactOptional(),
  })
  .refine(({ text, delete: gone }) => (text === undefined) === (gone === true), 'takes text, or delete: true')

/** What `git.commit` takes. */
export const GitCommitInput = z
  .strictObject({
    ...Where,
    branch: RefName.describe('The branch that the commit is made on'),
    parent: CommitId.describe(
      'The head of the branch that the change was made for: on any other one nothing is pushed',
    ),
    new_branch: RefName.exactOptional().describe(
      'Pushes to this branch, which must not exist, and leaves `branch` as it is',
    ),
    changes: z.array(Change).min(1).max(50),
    message: z
      .string()
      .min(1)
      .max(5_000)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
      .regex(/^[^\x00-\x09\x0b-\x1f\x7f]*$/, 'text without control characters'),
    author: z.strictObject({ name: Line, email: z.email('a mail address').max(254) }),
  })
  .refine(({ changes }) => new Set(changes.map(({ path }) => path)).size === changes.length, {
    path: ['changes'],
    error: 'names a path twice',
  })
  .refine(({ changes }) => changes.reduce((sum, { text = '' }) => sum + text.length, 0) <= MAX_TEXT, {
    path: ['changes'],
    error: `has more than ${MAX_TEXT} characters`,
  })
export type GitCommitInput = z.infer<typeof GitCommitInput>
