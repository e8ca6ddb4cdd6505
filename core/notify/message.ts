import { withClass } from '../environment/environment.ts'
import { formatDistance, formatTime } from '../time/format-time.ts'
import { cleanBlock, oneLine } from './alert-facts.ts'
import { connectionMessage } from './connection-message.ts'
import { digestMessage } from './digest-message.ts'
import { haltMessage } from './halt-message.ts'
import { headline } from './headline.ts'
import {
  type GateNotice,
  isAboutRun,
  type Notice,
  type NoticeAnswer,
  type NoticeAsk,
  type NoticeMessage,
} from './types.ts'

const NAMED = 5

/** Formats who may answer: roles by their names, people by theirs. */
function formatAsk({ need, clauses, people, prevent_self }: NoticeAsk): string {
  const count = `${need} ${need === 1 ? 'approval' : 'approvals'}`
  const anybody = `anybody who may approve${namesOf(people)}`
  const roles = clauses.map(({ any_of, people: named }) => `${any_of.join(' or ')}${namesOf(named)}`).join(', and ')
  const others = need > clauses.length ? `, the ${need - clauses.length === 1 ? 'other' : 'others'} by ${anybody}` : ''
  const by = clauses.length === 0 ? anybody : `${roles}${others}`
  return `${count} by ${by}${prevent_self ? '; not by the requester' : ''}`
}

function namesOf(people: string[]): string {
  if (people.length === 0) return ''
  const more = people.length - NAMED
  return ` (${people.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}

const SUMMARY_CHARS = 500
const VALUE_CHARS = 300
const COMMAND_CHARS = 2_500
const MAX_REASONS = 10
const MAX_EVIDENCE = 5
const EXCERPT_CHARS = 600

/** A notice in words. Everything that came from outside is reduced to visible text of bounded length. */
export function noticeMessage(notice: Notice): NoticeMessage {
  if (!isAboutRun(notice)) {
    if ('connection' in notice) return connectionMessage(notice)
    return 'halt' in notice ? haltMessage(notice) : digestMessage(notice)
  }
  const { answered, resolution, ended } = notice
  const note = answered?.note ?? resolution?.note
  const isOver = !asksForAnswer(notice)
  const outcome = outcomeOf(notice)
  const evidence = isOver ? [] : (notice.evidence ?? [])
  return {
    title: headline(notice),
    summary: oneLine(notice.summary, SUMMARY_CHARS),
    ...(outcome !== undefined && { outcome }),
    ...(note ? { note: oneLine(note, SUMMARY_CHARS) } : {}),
    facts: facts(notice, isOver),
    ...(notice.command === undefined || ended !== undefined
      ? {}
      : { command: cleanBlock(notice.command, COMMAND_CHARS) }),
    because: ended === undefined ? notice.because.slice(0, MAX_REASONS).map((each) => oneLine(each, VALUE_CHARS)) : [],
    evidence: evidence.slice(0, MAX_EVIDENCE).map(({ title, excerpt }) => ({
      title: oneLine(title, VALUE_CHARS),
      excerpt: cleanBlock(excerpt, EXCERPT_CHARS),
    })),
  }
}

function outcomeOf({ answered, resolution, ended, retry, sent_at, time, run_id }: GateNotice): string | undefined {
  const now = sent_at ?? time
  if (answered !== undefined) {
    const { account, decision, at } = answered
    return `${oneLine(account, VALUE_CHARS)} has answered this gate in your name (${decision}) at ${formatTime(at, now)}. ${ifWrong(answered, run_id)}`
  }
  if (ended !== undefined) {
    const { status, at, error } = ended
    const why = error === null ? '' : `: ${oneLine(error.message, SUMMARY_CHARS)}`
    const where = error?.step ? ` at the step ${oneLine(error.step, VALUE_CHARS)}` : ''
    return `${capitalised(status)}${where} at ${formatTime(at, now)}${why}`
  }
  if (resolution === undefined) return retry === undefined ? undefined : oneLine(retry, SUMMARY_CHARS)
  const { status, by, at } = resolution
  const who = by === null ? '' : ` by ${oneLine(by, VALUE_CHARS)}`
  return `${capitalised(status)}${who}${at === null ? '' : ` at ${oneLine(formatTime(at, now), 40)}`}`
}

/** Formats what a person can still do about an answer made by mistake. */
function ifWrong({ gate }: NoticeAnswer, run: string): string {
  const remove = 'remove the account on the page “You” of the console'
  if (gate === 'open')
    return `The gate is open still. If the answer is wrong: ${remove}, and the answer counts no longer; then answer the gate yourself, or tell an approver.`
  if (gate === 'approved')
    return `The gate is approved, and no answer to it can be taken back. If the answer is wrong: have the run cancelled before it has ended (svc cancel ${run}), and ${remove}.`
  return `The gate is ${gate}, and the run has ended. If the answer is wrong: have the run started again, and ${remove}.`
}

function facts(notice: GateNotice, isOver: boolean): NoticeMessage['facts'] {
  const { alert, ask, ended, environment_class: kind } = notice
  const now = notice.sent_at ?? notice.time
  const open = <Value>(value: Value | null | undefined) => (isOver ? null : (value ?? null))
  const all: [string, string | null | undefined][] = [
    ['Alert', alert && `${alert.severity}, ${alert.title}`],
    ['Service', alert && `${alert.service} (said by ${alert.source})`],
    ['What the alert says', open(alert?.description)],
    ['Environment', withClass(notice.environment, kind)],
    ['Template', notice.title === undefined ? notice.template : `${notice.title} (${notice.template})`],
    ['Step', notice.step],
    ['Connection', ended === undefined ? notice.connection : null],
    ['Models', ended === undefined ? notice.models : null],
    ['Risk', notice.risk],
    ['Requested by', notice.requested_by],
    ['Reason', notice.reason],
    ['Approved by', ended?.approved_by.join(', ')],
    ['Who may answer', open(ask && formatAsk(ask))],
    ['Still missing', open(ask?.missing)],
    ['Answer by', open(notice.expires_at && formatDeadline(notice.expires_at, now))],
    ['Dry run', notice.dry_run === true ? 'nothing was changed' : null],
    ['Run', notice.run_id],
    ['Plan', ended === undefined ? notice.plan_hash : null],
    ['Code for the link', open(notice.code)],
  ]
  return all.flatMap(([label, value]) => {
    const text = typeof value === 'string' ? oneLine(value, VALUE_CHARS) : ''
    return text === '' ? [] : [{ label, value: text }]
  })
}

function formatDeadline(time: string, now: string): string {
  const distance = formatDistance(time, now)
  return `${formatTime(time, now)}${distance === '' ? '' : ` (${distance})`}`
}

function capitalised(text: string): string {
  const line = oneLine(text, 40)
  return line.charAt(0).toUpperCase() + line.slice(1)
}

/** Tells whether a message asks for an answer, and does not only report. */
export function asksForAnswer(notice: Notice): boolean {
  if (!isAboutRun(notice)) return false
  const { answered, resolution, ended } = notice
  return answered === undefined && resolution === undefined && ended === undefined
}
