import type { AuditDraft } from '#core/audit/types.ts'
import { isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Corpus, CorpusProblem } from '#core/knowledge/schema.ts'
import { visible, visibleLine } from '#core/text/visible-text.ts'
import type { CorpusRow } from '#store/knowledge/knowledge-rows.ts'
import { authoredAudit, digestOf } from '../authored-document.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** A corpus of the caller's workspace. Throws `not_found`. */
export async function findCorpus(ctx: KnowledgeContext, id: string): Promise<CorpusRow> {
  const row = await ctx.knowledge.store.find({ workspace_id: ctx.workspace_id, id })
  if (row === undefined) throw new DomainError('not_found', 'there is no such corpus')
  return row
}

/** A corpus as people see it. */
export function toCorpusRecord(ctx: KnowledgeContext, row: CorpusRow): Corpus {
  const { version: _version, listed_at, problems, ...rest } = row
  return {
    ...rest,
    state: listed_at === null ? 'registered' : row.pending > 0 ? 'indexing' : 'ready',
    problems: problems.map(shownProblem),
    attached_in: attachedIn(ctx, row.name),
    ...(listed_at !== null && { listed_at }),
    etag: etagOf(ctx, row),
  }
}

/** Names of files are by anybody. */
export function shownProblem({ path, message }: CorpusProblem): CorpusProblem {
  return { path: visibleLine(path), message: visible(message) }
}

/** Changes whenever its documents are listed. */
export function etagOf(ctx: KnowledgeContext, { id, version }: Pick<CorpusRow, 'id' | 'version'>): string {
  return `"${digestOf(ctx, canonicalText([id, version]))}"`
}

/** The record of a change of a corpus: with the digests of the lists of its documents, and none of their text. */
export function corpusAudit(
  ctx: KnowledgeContext,
  {
    action,
    corpus,
    after,
    data = {},
  }: {
    action: string
    corpus: Pick<CorpusRow, 'id' | 'name' | 'source'>
    after?: string | undefined
    data?: AuditDraft['data']
  },
): AuditDraft {
  return authoredAudit(ctx, {
    action,
    subject: { type: 'corpus', id: corpus.id },
    after,
    data: { name: corpus.name, source: corpus.source, ...data },
  })
}

/** Environments that attach it, as far as the caller may know of them. */
function attachedIn({ actor, environments, workspace_slug }: KnowledgeContext, name: string): string[] {
  return environments
    .list()
    .filter((each) => each.knowledge?.includes(name) === true)
    .filter((each) => actor.workspaces === '*' || isGranted(each, workspace_slug))
    .map((each) => each.name)
    .sort()
}

/** Makes the error for an unusable source. */
export function refusedSource(msg: string): DomainError {
  return new DomainError('validation_failed', msg, {
    errors: [{ pointer: '/source', loc: ['source'], msg, type: 'invalid' }],
  })
}
