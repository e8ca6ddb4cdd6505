import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Corpus, CorpusDraft } from '#core/knowledge/schema.ts'
import { authorOf, mustMatch, overtaken } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import type { ListPage } from '../list-page.ts'
import { corpusAudit, etagOf, findCorpus, refusedSource, toCorpusRecord } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** As many corpora as a workspace has. */
const MAX_CORPORA = 200

/**
 * Registers a corpus; nothing is read for good before it is indexed. Throws `conflict` for a name that is taken or when there are too many,
 * `validation_failed` for a source that is not there, and `forbidden` for a folder of the machine that is not the caller's to show.
 */
export const createCorpus = defineVerb(
  { role: 'admin', access: 'write', scope: 'workspace' },
  async (ctx: KnowledgeContext, { name, source }: CorpusDraft): Promise<Corpus> => {
    const { done } = ctx.attempt ?? {}
    if (done !== undefined) return await getCorpus(ctx, done.subject.id)
    if (source.kind === 'folder' && ctx.actor.workspaces !== '*')
      throw new DomainError(
        'forbidden',
        'Folders of the machine are visible to all workspaces: an owner or admin of all of them registers one.',
      )
    if (source.kind !== 'inline') {
      const listing = await ctx.knowledge.files.list(source)
      if (typeof listing === 'string') throw refusedSource(listing)
    }
    const draft = { id: ctx.ids.next('corpus'), workspace_id: ctx.workspace_id, name, source, author: authorOf(ctx) }
    const audit = corpusAudit(ctx, {
      action: 'knowledge.created',
      corpus: draft,
      after: canonicalText({ name, source }),
    })
    if (await ctx.knowledge.store.create(draft, MAX_CORPORA, audit))
      return toCorpusRecord(ctx, await findCorpus(ctx, draft.id))
    const taken = await ctx.knowledge.store.named(ctx.workspace_id, [name])
    if (taken.length > 0) throw new DomainError('conflict', `There is a corpus ${name} already.`)
    throw new DomainError('conflict', `A workspace has at most ${MAX_CORPORA} corpora.`)
  },
)

/** All corpora of the caller's workspace, in the order of their names. */
export async function listCorpora(ctx: KnowledgeContext): Promise<ListPage<Corpus>> {
  const rows = await ctx.knowledge.store.list(ctx.workspace_id)
  return { items: rows.map((row) => toCorpusRecord(ctx, row)), total: { count: rows.length, capped: false } }
}

export async function getCorpus(ctx: KnowledgeContext, id: string): Promise<Corpus> {
  return toCorpusRecord(ctx, await findCorpus(ctx, id))
}

/** Deletes a corpus with its index; its files stay. Environments that attach it no longer find anything of it. */
export const deleteCorpus = defineVerb(
  { role: 'admin', access: 'write', scope: 'workspace' },
  async (ctx: KnowledgeContext, { id, if_match }: { id: string; if_match?: string | undefined }): Promise<void> => {
    const row = await findCorpus(ctx, id)
    mustMatch(if_match, etagOf(ctx, row))
    const { documents, chunks } = row
    const audit = corpusAudit(ctx, { action: 'knowledge.deleted', corpus: row, data: { documents, chunks } })
    if (!(await ctx.knowledge.store.remove(row, audit))) throw overtaken()
  },
)
