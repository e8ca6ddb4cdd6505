import type { Json } from '../json/json.ts'
import { cutText } from '../text/text.ts'
import { visible, visibleLine } from '../text/visible-text.ts'

const MAX_LINES = 60
const INDENT = '  '

/** The beginning of a value as people read it, one member a line, at most `most` characters; and whether that is not all of it. */
export function excerptOf(value: Json, most: number): { text: string; cut: boolean } {
  const lines: string[] = []
  let left = most
  let cut = false
  for (const line of linesOf(value, '')) {
    if (lines.length === MAX_LINES || left <= 0) return { text: `${lines.join('\n')}\n…`, cut: true }
    const shown = visible(line)
    cut = shown.length > left
    lines.push(cut ? `${cutText(shown, left)}…` : shown)
    left -= shown.length + 1
    if (cut) break
  }
  return { text: lines.join('\n'), cut }
}

/** A generator, so that of a large value no more is made than is shown. */
function* linesOf(value: Json, indent: string): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    for (const line of String(value).split('\n')) yield indent + line
    return
  }
  for (const [name, item] of Object.entries(value)) {
    const label = Array.isArray(value) ? '-' : `${visibleLine(name)}:`
    if (typeof item === 'object' && item !== null) {
      const isEmpty = Object.keys(item).length === 0
      yield `${indent}${label}${isEmpty ? (Array.isArray(item) ? ' []' : ' {}') : ''}`
      yield* linesOf(item, indent + INDENT)
    } else if (typeof item === 'string' && item.includes('\n')) {
      yield indent + label
      yield* linesOf(item, indent + INDENT)
    } else yield `${indent}${label} ${String(item)}`
  }
}
