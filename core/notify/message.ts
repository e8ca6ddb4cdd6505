import { cleanBlock, oneLine } from './clean-text.ts'
import type { GateNotice, NoticeResolution } from './types.ts'

const TITLE_CHARS = 140
const SUMMARY_CHARS = 500
const VALUE_CHARS = 300
const COMMAND_CHARS = 2_500
const MAX_REASONS = 10

/** The words of a notice, cleaned for people; each channel only sets them in its own markup. */
export interface NoticeMessage {
  /** what happened, to what and where */
  title: string
  summary: string
  /** how the gate ended, when it did */
  outcome?: string
  note?: string
  facts: { label: string; value: string }[]
  command?: string
  because: string[]
}

/** A notice in words. Everything that came from outside is reduced to visible text of bounded length. */
export function noticeMessage(notice: GateNotice): NoticeMessage {
  const { resolution } = notice
  return {
    title: oneLine(`${headline(notice)}: ${notice.template} in ${notice.environment}`, TITLE_CHARS),
    summary: oneLine(notice.summary, SUMMARY_CHARS),
    ...(resolution === undefined ? {} : { outcome: outcomeText(resolution) }),
    ...(resolution?.note ? { note: oneLine(resolution.note, SUMMARY_CHARS) } : {}),
    facts: facts(notice),
    ...(notice.command === undefined ? {} : { command: cleanBlock(notice.command, COMMAND_CHARS) }),
    because: notice.because.slice(0, MAX_REASONS).map((reason) => oneLine(reason, VALUE_CHARS)),
  }
}

function headline({ kind, resolution }: GateNotice): string {
  switch (kind) {
    case 'svc.gate.opened':
      return 'Approval needed'
    case 'svc.gate.reminder':
      return 'Still waiting for approval'
    case 'svc.gate.escalated':
      return 'Escalated, approval needed'
    case 'svc.gate.resolved':
      return resolution === undefined ? 'Decided' : capitalised(resolution.status)
    case 'svc.run.failed':
      return 'Run failed'
    case 'svc.test':
      return 'Test message'
  }
}

function outcomeText({ status, by, at }: NoticeResolution): string {
  const who = by === null ? '' : ` by ${oneLine(by, VALUE_CHARS)}`
  const when = at === null ? '' : ` at ${clockText(at)}`
  return `${capitalised(status)}${who}${when}`
}

function facts(notice: GateNotice): NoticeMessage['facts'] {
  const all: [string, string | null][] = [
    ['Template', notice.template],
    ['Environment', notice.environment],
    ['Risk', notice.risk],
    ['Step', notice.step],
    ['Connection', notice.connection ?? null],
    ['Requested by', notice.requested_by],
    ['Expires', notice.expires_at === null || notice.resolution !== undefined ? null : clockText(notice.expires_at)],
    ['Run', notice.run_id],
    ['Plan', notice.plan_hash],
    ['Code for the link', notice.resolution === undefined ? (notice.code ?? null) : null],
  ]
  return all.flatMap(([label, value]) => {
    const text = value === null ? '' : oneLine(value, VALUE_CHARS)
    return text === '' ? [] : [{ label, value: text }]
  })
}

/** `2026-11-21 13:05 UTC`; every time in a notice is UTC (ISO 8601). */
function clockText(time: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*Z$/.test(time)
    ? `${time.slice(0, 16).replace('T', ' ')} UTC`
    : oneLine(time, 40)
}

function capitalised(text: string): string {
  const line = oneLine(text, 40)
  return line.charAt(0).toUpperCase() + line.slice(1)
}
