import { visible, visibleLine } from '#core/visible-text.ts'

/** Text that strangers wrote: no control or direction character of theirs reaches the terminal, and none goes unseen. */
export function printable(text: string): string {
  return visibleLine(text)
}

/** The same for text of several lines, which stay lines. */
export function printableLines(text: string): string[] {
  return visible(text.replaceAll('\r\n', '\n').replaceAll('\t', '  ')).split('\n')
}
