import { visible } from '../visible-text.ts'

/** Text of others as one line of at most `max` characters; it can neither add a line nor a header, nor hide anything. */
export function oneLine(text: string, max: number): string {
  return shorten(visible(text).replace(/\s+/g, ' ').trim(), max)
}

/** Text of others that may have lines, such as a command: exact, or cut and said to be. */
export function cleanBlock(text: string, max: number): string {
  const block = visible(text)
  if (block.length <= max) return block
  const said = ` (cut: ${block.length} characters in all)`
  return said.length < max ? `${shorten(block, max - said.length)}${said}` : shorten(block, max)
}

/** Cuts between characters, never inside one nor inside an escape. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max - 1).replace(/(\p{Cs}|\\(u(\{[0-9a-f]*)?)?)$/u, '')}…`
}
