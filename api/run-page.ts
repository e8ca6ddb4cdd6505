import type { z } from 'zod'
import { alertFacts, oneLine } from '#core/notify/alert-facts.ts'
import { requesterName } from '#core/notify/gate-facts.ts'
import type { Run } from '#core/run/schema.ts'
import { isTerminal } from '#core/run/status.ts'
import { formatDistance, formatTime } from '#core/time/format-time.ts'
import { factTable, page, say, visibleHtml } from './page.ts'

type RunRecord = z.infer<typeof Run>

const VALUE_CHARS = 500

/** Renders a run for a person who follows the link of a message. */
export function runPage(run: RunRecord, now: string, report?: string): string {
  const what = `${run.pack}/${run.template} in ${run.environment}`
  const alert = run.trigger === undefined ? undefined : alertFacts(run.trigger.alert)
  const badge = alert === undefined ? `[${run.risk} risk]` : `[${alert.severity}]`
  const title = `${badge} ${alert === undefined ? what : `${alert.service}: ${alert.title}`} — ${formatStatus(run)}`
  const facts: [string, string | null | undefined][] = [
    ['Alert', alert?.title],
    ['What the alert says', alert?.description],
    ['Template', `${run.pack}/${run.template}`],
    ['Environment', `${run.environment} (${run.environment_class})`],
    ['Requested by', requesterName(run.provenance)],
    ['Reason', run.reason],
    ...(run.halts ?? []).map(({ by, reason }): [string, string] => ['Halted', `by ${by}: ${reason}`]),
    ['Began', `${formatTime(run.created_at, now)} (${formatDistance(run.created_at, now)})`],
    ['Ended', run.ended_at && `${formatTime(run.ended_at, now)} (${formatDistance(run.ended_at, now)})`],
    ['Cost', `${run.total_usd} of at most ${run.cap_usd} US dollars`],
    ['Run', run.id],
  ]
  return page(title, [
    `<h1>${visibleHtml(title)}</h1>`,
    run.error === undefined ? '' : say(`Failed: ${oneLine(run.error.message, VALUE_CHARS)} (${run.error.code})`),
    waitText(run),
    factTable(facts.flatMap(([label, value]) => (value ? [{ label, value: oneLine(value, VALUE_CHARS) }] : []))),
    answerTable(run, now),
    stepTable(run),
    report === undefined ? '' : `<h2>Report</h2><pre>${visibleHtml(report)}</pre>`,
    isTerminal(run.status) ? '' : '<p>This page shows the run as it was when it was loaded.</p>',
  ])
}

/** Leads to the sign-in, and from there back. */
export function signInPage(next: string, message?: string): string {
  return page('Sign in', [
    '<h1>Sign in to see this run</h1>',
    message === undefined ? '' : say(message, 'alert'),
    `<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${visibleHtml(next)}">
<label>Mail address <input type="email" name="email" autocomplete="username" required></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<p><button type="submit">Sign in</button></p>
</form>`,
  ])
}

export function noSuchPage(): string {
  return page('Not found', [
    '<h1>There is no such run</h1>',
    '<p>It may have been forgotten, or it belongs to a workspace that you may not enter.</p>',
  ])
}

function formatStatus({ status, progress, error }: RunRecord): string {
  if (status === 'failed' && error !== undefined) return `failed (${error.code})`
  const step = progress.current_step
  if (status === 'running' && step !== undefined) return `running, at ${step}`
  return status === 'awaiting_approval' ? 'waits for an answer' : status
}

function waitText({ id, status }: RunRecord): string {
  if (status !== 'awaiting_approval') return ''
  return say(
    `A gate waits for approval. Answer by the link in your message, in the chat, or with: svc remote approve ${id} (or reject)`,
  )
}

/** Renders the decisions, with their authors and notes. */
function answerTable({ gates }: RunRecord, now: string): string {
  const facts = gates.flatMap(({ step, decisions = [] }) =>
    decisions.map(({ by, name, via, decision, at, note }) => ({
      label: oneLine(step, VALUE_CHARS),
      value: `${decision === 'approve' ? 'approved' : 'rejected'} by ${oneLine(name ?? by, VALUE_CHARS)}${via === undefined ? '' : ` through ${oneLine(via.name ?? via.id, VALUE_CHARS)}`} at ${formatTime(at, now)}${note === undefined ? '' : `: ${oneLine(note, VALUE_CHARS)}`}`,
    })),
  )
  return facts.length === 0 ? '' : `<h2>Answers</h2>${factTable(facts)}`
}

function stepTable({ progress }: RunRecord): string {
  const facts = progress.steps.map(({ name, state, message }) => ({
    label: name,
    value:
      message === undefined
        ? state.replaceAll('_', ' ')
        : `${state.replaceAll('_', ' ')}: ${oneLine(message, VALUE_CHARS)}`,
  }))
  return facts.length === 0 ? '' : `<h2>Steps</h2>${factTable(facts)}`
}
