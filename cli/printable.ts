import { visible, visibleLine } from '#core/visible-text.ts'

/** Text that strangers wrote: no control or direction character of theirs reaches the terminal, and none goes unseen. */
export function printable(text: string): string {
  return visibleLine(text)
}

/** The same for text of several lines, which stay lines. */
export function printableLines(text: string): string[] {
  return visible(text.replaceAll('\r\n', '\n').replaceAll('\t', '  ')).split('\n')
}

/** One line of JSON in which those characters are escaped, so that it is harmless on a terminal and loses nothing. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
