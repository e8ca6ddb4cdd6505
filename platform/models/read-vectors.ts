import type { EmbeddingModelV3Result } from '@ai-sdk/provider'
import { UpstreamError } from '#core/models/upstream-error.ts'
import type { Vectors } from '#core/models/vectors.ts'

const MOST_DIMENSIONS = 8_192

/** The vectors of an answer of the AI SDK. Throws `UpstreamError` where they are not one for each text, of one length and of numbers. */
export function readVectors({ embeddings, usage }: EmbeddingModelV3Result, count: number): Vectors {
  const length = embeddings[0]?.length ?? 0
  const isSound =
    embeddings.length === count &&
    length > 0 &&
    length <= MOST_DIMENSIONS &&
    embeddings.every((each) => each.length === length && each.every(Number.isFinite))
  // whoever makes them has done the work
  if (!isSound) throw new UpstreamError('lost', 'the provider has not answered with one vector for each text')
  return { vectors: embeddings, ...(usage !== undefined && { tokens: usage.tokens }) }
}
