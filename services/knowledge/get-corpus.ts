import type { Corpus } from '#core/knowledge/schema.ts'
import { findCorpus, toCorpusRecord } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** One corpus. */
export async function getCorpus(ctx: KnowledgeContext, id: string): Promise<Corpus> {
  return toCorpusRecord(ctx, await findCorpus(ctx, id))
}
