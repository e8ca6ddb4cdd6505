import { chunkText } from '#core/knowledge/chunk-text.ts'
import type { CorpusProblem } from '#core/knowledge/schema.ts'
import type { CorpusRow, PendingDocument } from '#store/knowledge/knowledge-rows.ts'
import { digestOf } from '../authored-document.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

const AT_ONCE = 20

export interface IndexedPending {
  indexed: number
  problems: CorpusProblem[]
}

/**
 * Indexes the pending documents of a corpus, one by one, until a moment. Each is a transaction of its own: after an interruption the next
 * call continues, and two at once share the work.
 */
export async function indexPending(
  ctx: KnowledgeContext,
  corpus: CorpusRow,
  until_ms: number,
): Promise<IndexedPending> {
  const done: IndexedPending = { indexed: 0, problems: [] }
  let after = ''
  while (ctx.clock() < until_ms) {
    const batch = await ctx.knowledge.store.pending(corpus, after, AT_ONCE)
    for (const document of batch) {
      if (ctx.clock() >= until_ms) return done
      after = document.path
      const text = textOf(ctx, corpus, document)
      if ('problem' in text) done.problems.push({ path: document.path, message: text.problem })
      else if (await put(ctx, corpus, { ...document, text: text.text })) done.indexed += 1
    }
    if (batch.length < AT_ONCE) return done
  }
  return done
}

function put(ctx: KnowledgeContext, corpus: CorpusRow, document: PendingDocument & { text: string }): Promise<boolean> {
  const chunks = chunkText(document.text)
    .filter(({ text }) => text.trim() !== '')
    .map((chunk) => ({ ...chunk, digest: digestOf(ctx, chunk.text) }))
  return ctx.knowledge.store.putChunks(corpus, document, chunks)
}

/** As it was listed; later changes are listed and indexed the next time. */
function textOf(
  ctx: KnowledgeContext,
  { source }: CorpusRow,
  { path, digest, content }: PendingDocument,
): { text: string } | { problem: string } {
  if (content !== null) return { text: content }
  if (source.kind === 'inline') return { problem: 'has no text; hand it in again' }
  const read = ctx.knowledge.files.read(source, path)
  if (typeof read === 'string') return { problem: read }
  return read.digest === digest ? read : { problem: 'has changed while it was indexed; index the corpus again' }
}
