import { DomainError } from '#core/errors.ts'
import { unitVector } from '#core/knowledge/fuse-ranks.ts'
import { embedTexts } from '../models/embed-texts.ts'
import { EMBED_ROLE, embedModel } from './embed-missing.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** A question waits no longer for a better order: the search by words is done by then. */
const LONGEST_MS = 5_000
/** An excluded word or phrase of the search by words. Vectors cannot exclude. */
const LEAVES_OUT = /(?:^|[\s./_:])-["\p{L}\p{N}]/u

/** The vector of a question, or why there is none; neither where no model is bound, or the question leaves something out. */
export async function embedQuestion(
  ctx: KnowledgeContext,
  query: string,
): Promise<{ model: string; vector: number[] } | { refused?: string }> {
  if (LEAVES_OUT.test(query)) return {}
  const asked = embedModel(ctx)
  if (asked.model === undefined || asked.refused !== undefined) return asked
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('nobody waits any longer')), LONGEST_MS)
  try {
    const call = { model: EMBED_ROLE, texts: [query], ask: ctx.ask_budget, signal: late.signal }
    const { model, vectors } = await embedTexts(ctx, call)
    const vector = unitVector(vectors[0] ?? [])
    return vector === undefined ? { refused: 'The model makes nothing of the question.' } : { model, vector }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { refused: late.signal.aborted ? 'The model has not answered in time.' : error.message }
  } finally {
    clearTimeout(timer)
  }
}
