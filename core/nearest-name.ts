/** The one of the names that was most likely meant: nearly the same letters. Undefined where none is near. */
export function nearestName(meant: string, names: readonly string[]): string | undefined {
  const wanted = meant.trim().toLowerCase()
  const far = Math.floor(wanted.length / 3) + 1
  const [nearest] = names
    .map((name) => ({ name, changes: changesBetween(wanted, name.toLowerCase()) }))
    .filter(({ changes }) => changes < far)
    .sort((a, b) => a.changes - b.changes)
  return nearest?.name
}

/** How many letters are put in, left out, written differently, or change places with their neighbour (optimal string alignment). */
function changesBetween(one: string, other: string): number {
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, another] of [...other].entries()) {
      const written = (above[column] ?? 0) + (letter === another ? 0 : 1)
      const isSwapped = row > 0 && column > 0 && letter === other[column - 1] && another === one[row - 1]
      const swapped = isSwapped ? (twoAbove[column - 1] ?? 0) + 1 : written
      current.push(Math.min(written, swapped, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    twoAbove = above
    above = current
  }
  return above.at(-1) ?? 0
}
