/** A vector of length 1, so that products compare directions; undefined where it has none. */
export function unitVector(vector: readonly number[]): number[] | undefined {
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
  return Number.isFinite(length) && length > 0 ? vector.map((each) => each / length) : undefined
}

/** One bit for each dimension. Vectors that differ in few of them point nearly the same way, which is found out fast. */
export function signsOf(vector: readonly number[]): string {
  return vector.map((each) => (each > 0 ? '1' : '0')).join('')
}
