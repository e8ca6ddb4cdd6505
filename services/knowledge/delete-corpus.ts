import { overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { corpusAudit, etagOf, findCorpus } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** Deletes a corpus with all that was found in it. Files stay as they are. Where an environment attaches it, nothing of it is found any more. */
export async function deleteCorpus(
  ctx: KnowledgeContext,
  { id, if_match }: { id: string; if_match?: string | undefined },
): Promise<void> {
  const row = await findCorpus(ctx, id)
  mustMatch(if_match, etagOf(ctx, row))
  const { documents, chunks } = row
  const audit = corpusAudit(ctx, { action: 'knowledge.deleted', corpus: row, data: { documents, chunks } })
  if (!(await ctx.knowledge.store.remove(row, audit))) throw overtaken()
}
