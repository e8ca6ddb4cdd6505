import type { CorpusIndexed, InlineDocument } from '#core/knowledge/schema.ts'
import { defineVerb } from '../define-verb.ts'
import { findCorpus, shownProblem, toCorpusRecord } from './corpus-record.ts'
import { embedMissing } from './embed-missing.ts'
import { indexPending } from './index-pending.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { listNow } from './list-now.ts'

/** Time limit of indexing in one request; the rest is pending, and the next request continues. */
const LONGEST_MS = 20_000

/**
 * Indexes new and changed documents, and deletes missing ones. Throws `not_found`, `validation_failed` for a source that cannot be read as
 * a whole, and `conflict` where others list it all the time.
 */
export const indexCorpus = defineVerb(
  { role: 'admin', access: 'write', scope: 'workspace' },
  async (
    ctx: KnowledgeContext,
    { id, documents }: { id: string; documents?: InlineDocument[] | undefined },
  ): Promise<CorpusIndexed> => {
    const corpus = await findCorpus(ctx, id)
    const { problems, ...changes } = await listNow(ctx, { corpus, documents })
    const until_ms = ctx.clock() + LONGEST_MS
    const done = await indexPending(ctx, corpus, until_ms)
    const vectors = await embedMissing(ctx, corpus, until_ms)
    return {
      corpus: toCorpusRecord(ctx, await findCorpus(ctx, id)),
      ...changes,
      indexed: done.indexed,
      problems: [...problems, ...done.problems].map(shownProblem),
      vectors,
    }
  },
)
