/** Usual spellings of units. */
const UNITS: Record<string, readonly string[]> = {
  ms: ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'],
  s: ['s', 'sec', 'secs', 'second', 'seconds'],
  m: ['m', 'min', 'mins', 'minute', 'minutes'],
  h: ['h', 'hr', 'hrs', 'hour', 'hours'],
  d: ['d', 'day', 'days'],
}

/** `; did you mean 30s?` for `30sec` or `30 seconds`; nothing where the unit is not to be guessed. */
export function nearestDuration(text: string): string {
  const [, amount, unit = ''] = /^\s*(\d+)\s*([A-Za-z]+)\s*$/.exec(text) ?? []
  const known = Object.entries(UNITS).find(([, spellings]) => spellings.includes(unit.toLowerCase()))
  return amount === undefined || known === undefined ? '' : `; did you mean ${amount}${known[0]}?`
}

/**
 * Returns the end of a message about an unknown name: `; did you mean production?`, or nothing where none is near. `shown` formats the
 * nearest.
 */
export function didYouMean(
  meant: string,
  names: Iterable<string>,
  shown: (nearest: string) => string = (nearest) => nearest,
): string {
  const nearest = nearestName(meant, [...names])
  return nearest === undefined ? '' : `; did you mean ${shown(nearest)}?`
}

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

/** Counts the letters that are inserted, deleted, replaced, or swapped with their neighbour (optimal string alignment). */
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
