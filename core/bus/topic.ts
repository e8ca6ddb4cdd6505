import { DomainError } from '../errors.ts'

const SEGMENT = /^[A-Za-z0-9_-]+$/
const MAX_CHARS = 255

/** The segments of a dotted topic such as `run.succeeded`; throws `validation_failed` for text that is none. */
export function parseTopic(text: string): string[] {
  const segments = text.split('.')
  if (text.length > MAX_CHARS || !segments.every((segment) => SEGMENT.test(segment)))
    throw new DomainError(
      'validation_failed',
      `"${text}" is no topic: words of letters, digits, _ and -, set apart by dots`,
    )
  return segments
}

/** A parsed pattern: each segment is a word or `*`; `rest` allows one or more further segments. */
interface TopicPattern {
  segments: string[]
  rest: boolean
}

/** Makes a matcher of topics. Throws `validation_failed` for an invalid pattern. */
export function matchTopics(patterns: readonly string[]): (topic: string) => boolean {
  const parsed = patterns.map(parsePattern)
  return (topic) => {
    const segments = topic.split('.')
    return parsed.some((pattern) => fits(pattern, segments))
  }
}

/** Takes `run.*`, `pack.>` (or `pack.#`), `>` and plain topics. */
function parsePattern(text: string): TopicPattern {
  const segments = text.split('.')
  const rest = segments.at(-1) === '>' || segments.at(-1) === '#'
  if (rest) segments.pop()
  if (text.length > MAX_CHARS || !segments.every((segment) => segment === '*' || SEGMENT.test(segment)))
    throw new DomainError(
      'validation_failed',
      `"${text}" is no topic pattern: words or * set apart by dots, with > or # only as the last`,
    )
  return { segments, rest }
}

function fits(pattern: TopicPattern, topic: string[]): boolean {
  const { segments, rest } = pattern
  if (rest ? topic.length <= segments.length : topic.length !== segments.length) return false
  return segments.every((segment, index) => segment === '*' || segment === topic[index])
}
