/** Text that strangers wrote: no control or direction character of theirs reaches the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd')
}

/** The same for text of several lines, which stay lines. */
export function printableLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/).map((line) => printable(line.replaceAll('\t', '  ')))
}

/** One line of JSON in which those characters are escaped, so that it is harmless on a terminal and loses nothing. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
