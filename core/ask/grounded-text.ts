import { cutText } from '../text/text.ts'
import { visible } from '../text/visible-text.ts'
import { harmlessMarkdown } from './harmless-markdown.ts'

/** The text of an answer that remains, and the results that it cites, in the order of the citations. */
export interface GroundedText {
  text: string
  cited: string[]
}

const MAX_ANSWER = 20_000
const CITATION = /(?<!\s)\s*\[\^([^\]\s]{1,20})\]/g
/** The marks before the words of a line: indentation, quotes, bullets, numbers, headings. */
const PREFIX = /^(\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)]|#{1,6})\s+)?)([\s\S]*)$/
/** Up to a stop with the citations behind it; a stop before a small letter is an abbreviation. */
const SENTENCE = /\S.*?(?:(?<![.!?…])[.!?…]+["'”’)*_`]*(?:\s*\[\^[^\]\s]{1,20}\])*(?=\s+[^\sa-z]|\s*$)|$)/gsu
/** Something that has an identifier of ours. */
const IDENTIFIER = /\b[a-z]{2,5}_[0-9a-z]{26}\b/g

/**
 * Keeps the sentences that are backed by results of this turn: each cites one of them, and contains no identifier that the cited result
 * lacks. Everything else is dropped. `results` maps ids to the texts of the results.
 */
export function groundedText(answer: string, results: ReadonlyMap<string, string>): GroundedText {
  const cited = new Set<string>()
  const lines = visible(cutText(answer, MAX_ANSWER))
    .split('\n')
    .map((line) => groundedLine(line, results, cited))
  const kept = lines.filter((line, index) => line !== undefined && !(line === '' && (lines[index - 1] ?? '') === ''))
  return { text: kept.join('\n').trim(), cited: [...cited] }
}

/** Undefined where nothing of it remains; an empty line stays, as it separates paragraphs. */
function groundedLine(line: string, results: ReadonlyMap<string, string>, cited: Set<string>): string | undefined {
  if (line.trim() === '') return ''
  const [, prefix = '', body = ''] = PREFIX.exec(line) ?? []
  const sentences = (body.match(SENTENCE) ?? []).flatMap((sentence) => {
    const named = Array.from(sentence.matchAll(CITATION), ([, id = '']) => id)
    const known = [...new Set(named.filter((id) => results.has(id)))]
    const words = harmlessMarkdown(sentence.replace(CITATION, '').trim())
    if (known.length === 0 || !isSupported(words, known, results)) return []
    for (const id of known) cited.add(id)
    return [`${words}${known.map((id) => `[^${id}]`).join('')}`]
  })
  return sentences.length === 0 ? undefined : `${prefix}${sentences.join(' ')}`
}

function isSupported(words: string, ids: string[], results: ReadonlyMap<string, string>): boolean {
  if (!/[\p{L}\p{N}]/u.test(words)) return false
  const identifiers = words.match(IDENTIFIER) ?? []
  return identifiers.every((identifier) => ids.some((id) => results.get(id)?.includes(identifier)))
}
