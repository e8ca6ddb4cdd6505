/** Where a line and a column (from 1) are in a text; the nearest place that there is. */
export function offsetOf(
  text: string,
  { line = 1, column = 1 }: { line?: number | undefined; column?: number | undefined },
): number {
  const lines = text.split('\n')
  const above = lines.slice(0, Math.max(0, Math.min(line, lines.length) - 1))
  const here = lines[above.length] ?? ''
  const start = above.reduce((sum, each) => sum + each.length + 1, 0)
  return start + Math.max(0, Math.min(column - 1, here.length))
}
