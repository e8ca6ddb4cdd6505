import measure from 'fast-string-truncated-width'
import { pc, printable } from './format.ts'

export interface Column<Row> {
  title: string
  text(row: Row): string
  /** cut where the window is too narrow; the other columns never are */
  cut?: boolean
  /** shown with `-o wide` alone */
  wide?: boolean
  paint?(text: string, row: Row): string
}

const GAP = '  '
const LEAST_WIDTH = 8
const ELLIPSIS = '…'
const ESCAPE = '\u001b['
/** A colour that was cut off before its end would apply to the lines below. */
const RESET = '\u001b[0m'

/** Rows below a line of titles, as wide as `width` allows; nothing is cut without one. A column that is empty in every row is left out. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width?: number): string[] {
  const filled = columns
    .map((column) => ({ column, cells: rows.map((row) => printable(column.text(row))) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const natural = filled.map(({ column, cells }) => Math.max(...[column.title, ...cells].map(widthOf)))
  const widths = width === undefined ? natural : narrowed(filled, natural, width)
  const line = (cell: (index: number) => { text: string; paint: (text: string) => string }) =>
    filled
      .map((_, index) => {
        const { text, paint } = cell(index)
        const room = widths[index] ?? 0
        const shown = cutTo(text, room)
        const last = index === filled.length - 1
        return paint(shown) + (last ? '' : ' '.repeat(Math.max(0, room - widthOf(shown))))
      })
      .join(GAP)
      .trimEnd()
  return [
    line((index) => ({ text: filled[index]?.column.title ?? '', paint: pc.dim })),
    ...rows.map((row, at) =>
      line((index) => {
        const paint = filled[index]?.column.paint
        return {
          text: filled[index]?.cells[at] ?? '',
          paint: (text) => (paint === undefined ? text : paint(text, row)),
        }
      }),
    ),
  ]
}

/** Cuts text to so many columns of a terminal, wide characters counted as two. */
export function cutTo(text: string, room: number): string {
  const { index, ellipsed } = measure(text, { limit: room, ellipsis: ELLIPSIS, ellipsisWidth: 1 })
  const kept = text.slice(0, index)
  if (!ellipsed) return kept
  return kept + ELLIPSIS + (kept.includes(ESCAPE) ? RESET : '')
}

export function widthOf(text: string): number {
  return measure(text).width
}

/** Narrows the widest of the columns that may be cut, a character at a time. */
function narrowed<Row>(filled: readonly { column: Column<Row> }[], natural: number[], width: number): number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width
  for (; over > 0; over -= 1) {
    const [widest] = widths
      .map((each, index) => ({ each, index }))
      .filter(({ each, index }) => filled[index]?.column.cut === true && each > LEAST_WIDTH)
      .sort((one, other) => other.each - one.each)
    if (widest === undefined) break
    widths[widest.index] = widest.each - 1
  }
  return widths
}
