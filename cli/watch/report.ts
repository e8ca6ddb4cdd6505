import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { pc, printable } from '../views/format.ts'
import { showDryRun } from './show-dry-run.ts'
import { showPending } from './show-pending.ts'

/** The output of a command that watches a run. */
export interface Report {
  event(event: Schema<'RunEvent'>): void
  pending(pending: Schema<'PendingApproval'>): void
  outcome(outcome: Schema<'ApprovalOutcome'>): void
  run(run: Schema<'Run'>): void
  /** a remark that belongs to no record */
  say(line: string): void
}

/** For a person. */
export function textReport(out: (line: string) => void): Report {
  return {
    event: (event) => showEvent(out, event),
    pending: (pending) => showPending(out, pending),
    outcome: (outcome) => out(`   ${describeOutcome(outcome)}`),
    run: (run) => {
      showDryRun(out, run)
      out(`   ${run.dry_run ? 'dry run' : 'run'} ${printable(run.id)} ${pc.bold(run.status)}${why(run)}`)
    },
    say: (line) => out(`   ${line}`),
  }
}

/** For programs: one JSON document a line, distinguished by `type` (that of an event has a dot); remarks go to standard error. */
export function jsonReport(out: (line: string) => void, err: (line: string) => void): Report {
  return {
    event: (event) => out(visibleJson(event)),
    pending: (pending) => out(visibleJson({ type: 'pending_approval', data: pending })),
    outcome: (outcome) => out(visibleJson({ type: 'decision', data: outcome })),
    run: (run) => out(visibleJson({ type: 'run', data: run })),
    say: err,
  }
}

function describeOutcome({ decision, resolved, approvals, status }: Schema<'ApprovalOutcome'>): string {
  const count = `${approvals.have} of ${approvals.need} approvals`
  if (!resolved) return `${decision} recorded: ${count}, the gate stays open`
  return `${status === 'approved' ? pc.green(status) : pc.red(status)}${status === 'approved' ? ` (${count})` : ''}`
}

function why({ error, status_reason }: Schema<'Run'>): string {
  if (error) return `: ${printable(`${error.code}: ${error.message}`)}`
  return status_reason ? ` (${printable(status_reason)})` : ''
}

/** Shows one line: number, type, step and the important data. */
export function showEvent(say: (line: string) => void, event: Schema<'RunEvent'>): void {
  const what = [event.step === undefined ? '' : printable(event.step), summaryOf(event)].filter(Boolean).join(' ')
  say(`   ${pc.dim(String(event.seq).padStart(2))} ${printable(event.type).padEnd(16)} ${what}`.trimEnd())
}

function summaryOf({ type, data }: Schema<'RunEvent'>): string {
  if (type === 'step.completed' && data['executed'] === false)
    return pc.dim(data['would'] === 'unknown' ? 'cannot be judged' : `would ${text(data['would']).replace('_', ' ')}`)
  if (type === 'step.completed' && data['skipped'] === true) return pc.dim('skipped')
  if (type === 'policy.decided') return pc.dim(`${text(data['effect'])}, gate ${data['gate'] === true ? 'on' : 'off'}`)
  if (type === 'gate.decision') return pc.dim(text(data['decision']))
  if (type === 'step.failed' || type === 'run.failed') return pc.red(`${text(data['code'])}: ${text(data['message'])}`)
  return ''
}

function text(value: unknown): string {
  return printable(String(value ?? ''))
}
