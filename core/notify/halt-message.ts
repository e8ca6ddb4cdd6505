import { agoText, formatDuration, formatTime } from '../time/format-time.ts'
import { oneLine } from './alert-facts.ts'
import type { HaltNotice, NoticeHalt, NoticeMessage } from './types.ts'

const LINE_CHARS = 140
const WORD_CHARS = 40
const VALUE_CHARS = 300
const REASON_CHARS = 500

/** The words of a notice about a halt. Reasons and titles come from outside, and are reduced to visible text of bounded length. */
export function haltMessage({ kind, halt, sent_at, time }: HaltNotice): NoticeMessage {
  const now = sent_at ?? time
  const { covers, set_by, since, may_lift, refused, lifted } = halt
  const facts: [string, string][] = [
    ['Covers', covers],
    ['Reason', halt.reason],
    ['Set by', `${set_by}, ${formatTime(since, now)} (${agoText(since, Date.parse(now))})`],
    ...(lifted === undefined ? [] : [['Lifted by', `${lifted.by}, ${formatTime(lifted.at, now)}`] as [string, string]]),
    ...(refused.starts === 0 ? [] : [['Refused', refusedText(halt)] as [string, string]]),
    ...(lifted !== undefined || may_lift.length === 0
      ? []
      : [['Who can lift it', may_lift.join(', ')] as [string, string]]),
    ['Halt', halt.id],
  ]
  return {
    title: oneLine(TITLES[kind](halt), LINE_CHARS),
    summary: oneLine(SUMMARIES[kind](halt), REASON_CHARS),
    facts: facts.map(([label, value]) => ({ label, value: oneLine(value, VALUE_CHARS) })),
    because: [],
    evidence: [],
  }
}

const TITLES: Record<HaltNotice['kind'], (halt: NoticeHalt) => string> = {
  'svc.halt.set': ({ covers, set_by, reason }) =>
    `HALTED ${oneLine(covers, WORD_CHARS * 2)} by ${oneLine(set_by, WORD_CHARS)}: ${reason}`,
  'svc.halt.refused': (halt) => `HALTED: ${refusedText(halt)}`,
  'svc.halt.lifted': ({ covers, lifted, since }) =>
    `Halt of ${oneLine(covers, WORD_CHARS * 2)} lifted by ${oneLine(lifted?.by ?? '', WORD_CHARS)}${lastedText(since, lifted?.at)}`,
}

const SUMMARIES: Record<HaltNotice['kind'], (halt: NoticeHalt) => string> = {
  'svc.halt.set': ({ reason }) => reason,
  'svc.halt.refused': ({ id }) => `See them, and start them once it is lifted: svc halt --refused ${id}`,
  'svc.halt.lifted': ({ id, refused }) =>
    refused.starts === 0
      ? 'What it held continues. It refused nothing.'
      : `What it held continues. What it refused does not start by itself: svc halt --refused ${id}`,
}

function refusedText({ refused: { starts, first } }: NoticeHalt): string {
  return `the halt refused ${starts} ${starts === 1 ? 'start' : 'starts'}, first: ${oneLine(first ?? '', WORD_CHARS * 2)}`
}

function lastedText(since: string, at: string | undefined): string {
  const words = at === undefined ? '' : formatDuration(Date.parse(at) - Date.parse(since))
  return words === '' ? '' : ` after ${words}`
}
