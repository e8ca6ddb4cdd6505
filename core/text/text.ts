/// <reference lib="es2024.string" />
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

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

/** Decodes a percent-encoded text; an invalid encoding stays unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Cuts a text, without half a surrogate pair at its end: no record can hold that. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

/** Tells whether a name is among others, in any form of Unicode. */
export function hasName(names: readonly string[], name: string): boolean {
  const wanted = name.normalize('NFC')
  return names.some((each) => each.normalize('NFC') === wanted)
}
