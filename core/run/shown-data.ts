import { canonicalText } from '../canonical-text.ts'
import type { Json } from '../json-pointer.ts'
import { utf8Bytes } from '../text.ts'
import { excerptOf } from './excerpt.ts'

/** Data of a step as it is answered: whole, or where it is too large its beginning; the digest is of all of it. */
export type ShownData = {
  /** `sha256:` over its RFC 8785 text */
  digest: string
  bytes: number
  value?: Json
  excerpt?: string
  cut?: true
}

const EXCERPT_CHARS = 2_000

/** What is shown of a value within `most` bytes. */
export function shownData(value: Json, most: number, sha256: (text: string) => string): ShownData {
  const text = canonicalText(value)
  const about = { digest: `sha256:${sha256(text)}`, bytes: utf8Bytes(text) }
  if (about.bytes <= most) return { ...about, value }
  return { ...about, excerpt: excerptOf(value, EXCERPT_CHARS).text, cut: true }
}
