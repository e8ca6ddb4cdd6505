/** Characters that change what a reader sees without being seen: controls, direction overrides, halves of a pair. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu

/** Text of others as one line of at most `max` characters; it can neither add a line nor a header. */
export function oneLine(text: string, max: number): string {
  return shorten(text.replace(/\s+/g, ' ').replace(INVISIBLE, '').trim(), max)
}

/** Text of others that may have lines, such as a command. */
export function cleanBlock(text: string, max: number): string {
  const lines = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', '  ')
    .split('\n')
  return shorten(
    lines
      .map((line) => line.replace(INVISIBLE, '').trimEnd())
      .join('\n')
      .trim(),
    max,
  )
}

/** Cuts between characters, never inside one. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, max - 1).replace(/\p{Cs}$/u, '')}…`
}
