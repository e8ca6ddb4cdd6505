import type { EmbeddingModelV3Result } from '@ai-sdk/provider'
import { isObject, type JsonObject } from '#core/json/json.ts'
import { type Model, speaksOpenAi } from '#core/models/model.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { providerFailure } from './to-upstream-error.ts'

/** Embeddings of texts. `tokens` is absent where the provider did not report it. */
export interface Vectors {
  vectors: number[][]
  tokens?: number
}

const MAX_DIMENSIONS = 8_192

/**
 * Returns the vectors of an answer, in the order of the texts: in the format of OpenAI `index` decides, not the position. Throws
 * `UpstreamError` unless there is one for each text, of one length and of numbers that are not all zero.
 */
export function readVectors(
  model: Model,
  { embeddings, usage, response }: EmbeddingModelV3Result,
  count: number,
): Vectors {
  const vectors = speaksOpenAi(model) ? byIndex(response?.body, embeddings) : embeddings
  const fault = vectors.length === count ? faultOf(vectors) : `there are ${vectors.length} for ${count} texts`
  // the provider has done the work
  if (fault !== undefined)
    throw new UpstreamError('lost', `the provider has not answered with one vector for each text: ${fault}`)
  return { vectors, ...(usage !== undefined && { tokens: usage.tokens }) }
}

function faultOf(vectors: number[][]): string | undefined {
  const length = vectors[0]?.length ?? 0
  if (length === 0 || length > MAX_DIMENSIONS) return `one has ${length} numbers`
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== length) return `one has ${length} numbers and another ${vector.length}`
    if (!vector.every(Number.isFinite)) return `that of text ${index} has what is no number`
    if (vector.every((number) => number === 0)) return `that of text ${index} is zero, which is near to nothing`
  }
  return undefined
}

function byIndex(raw: unknown, embeddings: number[][]): number[][] {
  const failure = providerFailure(raw)
  if (failure !== undefined) throw failure
  const data = isObject(raw) && Array.isArray(raw['data']) ? raw['data'] : []
  const indices = data.map((each) => (isObject(each) ? (each as JsonObject)['index'] : undefined))
  const sorted: number[][] = []
  for (const [at, index] of indices.entries()) {
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < indices.length
    if (!isPlace || sorted[index] !== undefined)
      throw new UpstreamError(
        'lost',
        `the provider has not answered with one vector for each text: their indices are ${JSON.stringify(indices.slice(0, 20)).slice(0, 200)}`,
      )
    sorted[index] = embeddings[at] ?? []
  }
  return sorted
}
