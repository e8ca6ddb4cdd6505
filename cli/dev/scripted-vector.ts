const DIMENSIONS = 512

/** A vector of how often each three letters stand in a text, so that texts which share letters are near each other, spelt as they may be. */
export function scriptedVector(text: string): number[] {
  const vector = Array<number>(DIMENSIONS).fill(0)
  const letters = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
  for (let at = 0; at + 3 <= letters.length; at += 1) {
    const place = placeOf(letters.slice(at, at + 3))
    vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}

/** FNV-1a. */
function placeOf(letters: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < letters.length; at += 1) hash = Math.imul(hash ^ letters.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % DIMENSIONS
}
