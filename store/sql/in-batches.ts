/** Most rows that are locked at a time and become one commit. */
const ROWS = 1_000
/** A sweep yields to the others after this many batches. */
const BATCHES = 20

/** Deletes in batches until nothing is left, or the next sweep may continue; returns the number of rows. */
export async function inBatches(
  deleteSome: (limit: number) => PromiseLike<{ count: number }>,
  { rows = ROWS, batches = BATCHES } = {},
): Promise<number> {
  let total = 0
  for (let batch = 0; batch < batches; batch += 1) {
    const { count } = await deleteSome(rows)
    total += count
    if (count < rows) break
  }
  return total
}
