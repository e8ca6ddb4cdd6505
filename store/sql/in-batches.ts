/** So many rows at a time are locked and become one commit. */
const ROWS = 1_000
/** A sweep gives way to the others after so many. */
const BATCHES = 20

/** Deletes a batch after the other until there is nothing left, or the next sweep may go on; answers how many rows. */
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
