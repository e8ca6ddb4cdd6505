export interface FingerprintParts {
  source: string
  service: string
  symptom: string
}

/** Printable ASCII without `%` and `|`: as nearly every name is. */
const PLAIN = /^[ -$&-{}~]*$/
/** An index row must hold any text that a sender puts into a label. */
const MAX_CHARS = 512
const KEPT_CHARS = 200

/**
 * Returns the key by which two alerts are duplicates: `source|service|symptom`, each in NFC, trimmed, lower-cased, with `%` as `%25` and
 * `|` as `%7C`. A text beyond 512 characters keeps its beginning and ends in `%sha256:` and its digest, which no shorter one can.
 */
export function fingerprintOf(
  { source, service, symptom }: FingerprintParts,
  sha256: (text: string) => string,
): string {
  const text = [source, service, symptom].map(escapedPart).join('|')
  if (text.length <= MAX_CHARS) return text
  return `${Array.from(text).slice(0, KEPT_CHARS).join('')}%sha256:${sha256(text)}`
}

function escapedPart(part: string): string {
  if (PLAIN.test(part)) return part.trim().toLowerCase()
  // lower-casing may leave text that is not in NFC
  const plain = part.normalize('NFC').trim().toLowerCase().normalize('NFC')
  return plain.replaceAll('%', '%25').replaceAll('|', '%7C')
}

/** In the order in which everybody locks fingerprints: no two batches lock the same rows in opposite order. */
export function inLockOrder<Item>(items: readonly Item[], fingerprintOf: (item: Item) => string): Item[] {
  return [...items].sort((a, b) => {
    const [left, right] = [fingerprintOf(a), fingerprintOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  })
}
