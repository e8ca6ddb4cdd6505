/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // a surrogate pair is two units and four bytes
    if (unit > 0x7f) bytes += unit > 0x7ff && !(unit >= 0xd800 && unit <= 0xdfff) ? 2 : 1
  }
  return bytes
}
