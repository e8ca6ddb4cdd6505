import { formatTime } from '../time/format-time.ts'
import { oneLine } from './alert-facts.ts'
import type { DigestNotice, NoticeDigest, NoticeMessage } from './types.ts'

const LINE_CHARS = 140
const WORD_CHARS = 40
const VALUE_CHARS = 300

/** The words of a digest. Titles come from outside, and are reduced to visible text of bounded length. */
export function digestMessage({ digest, sent_at, time }: DigestNotice): NoticeMessage {
  const now = sent_at ?? time
  const { waiting, first, answered, ended, failed, since } = digest
  const more = waiting.gates - first.length
  const facts: [string, string | null][] = [
    ['Highest risk', waiting.risk],
    ['First answer by', waiting.expires_at && formatTime(waiting.expires_at, now)],
    ['Escalated', waiting.escalated === 0 ? null : gatesText(waiting.escalated)],
    ['Over', counts(answered)],
    ['Runs that ended', counts(ended)],
    ...failed.map((title): [string, string] => ['Failed', title]),
    ['Since', formatTime(since, now)],
  ]
  return {
    title: oneLine(titleOf(digest), LINE_CHARS),
    summary:
      waiting.gates === 0
        ? 'Nothing of this digest waits for an answer any more.'
        : 'There were too many to send one by one. See and answer them in the queue of gates, the most urgent first.',
    facts: facts.flatMap(([label, value]) => (value ? [{ label, value: oneLine(value, VALUE_CHARS) }] : [])),
    because: [],
    evidence: [],
    ...(first.length > 0 && { listed: [...first.map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])] }),
  }
}

function titleOf({ waiting, first, answered, ended }: NoticeDigest): string {
  if (waiting.gates > 0) {
    const [urgent] = first
    return `${badgeOf(urgent)}${gatesText(waiting.gates)} ${waiting.gates === 1 ? 'waits' : 'wait'} for an answer${urgent === undefined ? '' : `, first: ${problemOf(urgent)}`}`
  }
  const over = counts(answered) ?? ''
  return over === '' ? `Runs have ended: ${counts(ended) ?? ''}` : `No gate waits any more: ${over}`
}

type Gate = NoticeDigest['first'][number]

function badgeOf(gate: Gate | undefined): string {
  if (gate === undefined) return ''
  return gate.alert === undefined ? `[${gate.risk} risk] ` : `[${oneLine(gate.alert.severity, 10)}] `
}

/** `[critical] looms: queue is full in production (high risk)` */
function lineOf(gate: Gate): string {
  return `${badgeOf(gate)}${problemOf(gate)}${gate.alert === undefined ? '' : ` (${gate.risk} risk)`}`
}

function problemOf({ alert, title, environment }: Gate): string {
  const what = oneLine(alert?.title ?? title, WORD_CHARS * 2)
  const isNamed = alert === undefined || what.toLowerCase().includes(alert.service.toLowerCase())
  return `${isNamed ? '' : `${oneLine(alert.service, WORD_CHARS)}: `}${what} in ${oneLine(environment, WORD_CHARS)}`
}

/** `20 approved, 3 expired` */
function counts(of: Readonly<Record<string, number | undefined>>): string | null {
  return (
    Object.entries(of)
      .map(([status, count]) => `${count} ${status}`)
      .join(', ') || null
  )
}

function gatesText(count: number): string {
  return `${count} ${count === 1 ? 'gate' : 'gates'}`
}
