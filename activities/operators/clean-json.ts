import type { Json } from '#core/json/json.ts'

const MAX_DEPTH = 64

/** Text as Postgres can store it: no NUL, no lone surrogates. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD')
}

/** A value from outside as JSON that can be recorded, or undefined when it nests deeper than 64 levels. */
export function cleanJson(value: unknown): Json | undefined {
  try {
    return clean(value, 0)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function clean(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply')
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), clean(item, depth + 1)]))
}
