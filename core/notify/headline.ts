import { formatDistance, formatTime } from '../time/format-time.ts'
import { oneLine } from './alert-facts.ts'
import type { GateNotice } from './types.ts'

/** Most characters of a subject line or a chat header. */
const LINE_CHARS = 140
const WORD_CHARS = 40

/** Formats the first line: severity, place and problem, proposal or outcome, and deadline. If it is too long, only the problem is cut. */
export function headline(notice: GateNotice): string {
  if (notice.kind === 'svc.test') return 'Test message'
  const outcome = outcomeOf(notice)
  const [badge, subject] = subjectOf(notice)
  const place = ` in ${oneLine(notice.environment, WORD_CHARS)}`
  const room = LINE_CHARS - badge.length - place.length - outcome.length - 4
  return `${badge} ${oneLine(subject, Math.max(20, room))}${place} — ${outcome}`
}

function subjectOf({ alert, risk, title, template }: GateNotice): [string, string] {
  if (alert === undefined) return [`[${oneLine(risk, 10)} risk]`, title ?? template]
  const { severity, service } = alert
  const what = oneLine(alert.title, LINE_CHARS)
  const isNamed = what.toLowerCase().includes(service.toLowerCase())
  return [`[${oneLine(severity, 10)}]`, isNamed ? what : `${oneLine(service, WORD_CHARS)}: ${what}`]
}

function outcomeOf(notice: GateNotice): string {
  const action = oneLine(notice.action ?? 'a step', WORD_CHARS)
  switch (notice.kind) {
    case 'svc.gate.opened':
      return `${action} needs approval, ${deadline(notice)}`
    case 'svc.gate.reminder':
      return `${action} still waits, ${deadline(notice)}`
    case 'svc.gate.escalated':
      return `escalated: ${action} needs approval, ${given(notice)}, ${deadline(notice)}`
    case 'svc.gate.answered_for_you':
      return `${action} ${formatAnswer(notice)}`
    case 'svc.gate.resolved':
      return `${action} ${formatResolution(notice)}`
    default:
      return formatRunEnd(notice, action)
  }
}

function given({ ask }: GateNotice): string {
  return ask === undefined || ask.have === 0 ? 'nobody has decided' : `${ask.have} of ${ask.need} approvals given`
}

/** `answer by 14:05 UTC (in 55 min)` */
function deadline({ expires_at, sent_at, time }: GateNotice): string {
  if (expires_at === null) return 'an answer is needed'
  const now = sent_at ?? time
  const distance = formatDistance(expires_at, now)
  return `answer by ${oneLine(formatTime(expires_at, now), WORD_CHARS)}${distance === '' ? '' : ` (${distance})`}`
}

function formatAnswer({ answered }: GateNotice): string {
  if (answered === undefined) return 'answered in your name'
  const verb = answered.decision === 'approve' ? 'approved' : 'rejected'
  return `${verb} in your name by ${oneLine(answered.account, WORD_CHARS)}`
}

function formatResolution({ resolution }: GateNotice): string {
  if (resolution === undefined) return 'decided'
  const { status, by } = resolution
  const isDecided = status === 'approved' || status === 'rejected'
  return `${oneLine(status, 20)}${isDecided && by !== null ? ` by ${oneLine(by, WORD_CHARS)}` : ''}`
}

/** A step that succeeded is not reported as failed because a later one failed. */
function formatRunEnd(notice: GateNotice, action: string): string {
  const { ended, action: approved } = notice
  if (approved === undefined) return `the run ${formatEnd(notice)}`
  return ended?.acted === true && ended.error !== null
    ? `${action} done, but ${oneLine(ended.error.step ?? 'the run', WORD_CHARS)} ${formatEnd(notice)}`
    : `${action} ${formatEnd(notice)}`
}

function formatEnd({ ended, kind }: GateNotice): string {
  const { status, error } = ended ?? { status: kind.slice('svc.run.'.length), error: null }
  return status === 'failed' && error !== null ? `failed (${oneLine(error.code, WORD_CHARS)})` : status
}
