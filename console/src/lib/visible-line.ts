/** Controls, directions, joiners and fillers: they change what a reader sees without being seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu

/** A name for people, as the API writes what approvers see: what would not be seen is shown as its escape, `\u{202e}`. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`)
}
