import { printable } from './printable.ts'

/** Rows under their headings, each column as wide as its longest text; the last one runs on. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((text, column) => (column === headings.length - 1 ? text : text.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
