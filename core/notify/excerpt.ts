import type { Json } from '../json.ts'
import { cleanBlock, oneLine } from './clean-text.ts'

const LINES = 8
const LINE_CHARS = 200
const EXCERPT_CHARS = 600
/** What is long and says little. */
const LEFT_OUT = new Set(['headers', 'url', 'method'])

/** A few lines of a step's outputs that people can read: one a member, as far as they fit. */
export function excerptOf(outputs: Json): string {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs))
    return cleanBlock(textOf(outputs), EXCERPT_CHARS)
  const members = Object.entries(outputs).filter(([name]) => !LEFT_OUT.has(name))
  const lines = members
    .slice(0, LINES)
    .map(([name, value]) => `${oneLine(name, 40)}: ${oneLine(textOf(value), LINE_CHARS)}`)
  const more = members.length - lines.length
  return cleanBlock([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), EXCERPT_CHARS)
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
