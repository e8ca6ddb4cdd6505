import type { Schema } from '#client/create-client.ts'
import { hasFailed } from '#core/pipeline/pipeline-facts.ts'
import { statusPill } from '#core/text/pills.ts'
import { dueText, formatDuration } from '#core/time/format-time.ts'
import { pc, printable } from '../views/format.ts'
import { paintStatus, statusWords } from '../views/pill-text.ts'
import { usd } from '../views/run-text.ts'
import type { DrawnStep } from './step-tree.ts'

type Step = Schema<'PipelineStep'>
type Run = Schema<'PipelineRun'>

/** Most runs of a list that are shown one by one. */
const MAX_RUNS = 10

/** A step in a line, and below it what hangs on it: gates with how to answer them, runs of a list, what took it back. */
export function stepLines({ step, before, below }: DrawnStep, pipelineId: string, now: number): string[] {
  const head = [
    paintStatus(`${statusPill(step.state).symbol} ${printable(step.id)}`, step.state),
    paintStatus(statusWords(step.state), step.state),
    ...[step.uses ?? '', needsText(step), whenText(step, now), costText(step)].map(printable),
  ]
  return [
    `${before}${head.filter(Boolean).join('  ')}`,
    ...detailsOf(step, pipelineId).map((line) => `${below}    ${line}`),
  ]
}

function needsText({ needs }: Step): string {
  return needs.length > 1 ? `needs ${needs.join(', ')}` : ''
}

/** The time of a step is paused while people are asked. */
function whenText({ state, started_at, ended_at, fire_at, deadline_at }: Step, now: number): string {
  if (state === 'waiting_timer' && fire_at !== undefined) return `fires ${dueText(fire_at, now)} (${fire_at})`
  const due =
    deadline_at === undefined || state === 'awaiting_approval' ? '' : `, its time is over ${dueText(deadline_at, now)}`
  if (ended_at !== undefined)
    return started_at === undefined ? '' : formatDuration(Date.parse(ended_at) - Date.parse(started_at), 2)
  if (state === 'running' && started_at !== undefined)
    return `for ${formatDuration(now - Date.parse(started_at), 2)}${due}`
  return due.replace(/^, /, '')
}

function costText({ runs }: Step): string {
  const total = runs.reduce((sum, { total_usd }) => sum + total_usd, 0)
  return total === 0 ? '' : usd(total)
}

function detailsOf(step: Step, pipelineId: string): string[] {
  const { id, state, topic, matches, error, reason, advanced } = step
  const advanced_text =
    typeof advanced?.['by'] === 'string' ? `advanced by ${advanced['by']}${noteText(advanced['note'])}` : ''
  return [
    ...(topic !== undefined && state === 'waiting_event' ? [printable(eventText(topic, matches))] : []),
    ...(state === 'ready' ? [pc.yellow(`let it begin with: svc pipeline advance ${pipelineId} ${id}`)] : []),
    ...(advanced_text === '' ? [] : [printable(advanced_text)]),
    ...(error === undefined ? [] : [pc.red(printable(`${error.code}: ${error.message}`))]),
    ...(reason === undefined ? [] : [pc.dim(printable(reason))]),
    ...runLines(step, pipelineId),
  ]
}

function eventText(topic: string, matches: string | undefined): string {
  return `waits for an event on ${topic}${matches === undefined ? '' : ` where ${matches.replaceAll(/\s+/g, ' ').trim()}`}`
}

function noteText(note: unknown): string {
  return typeof note === 'string' ? `: ${note}` : ''
}

function runLines(step: Step, pipelineId: string): string[] {
  const own = step.runs.filter(({ role }) => role === 'run')
  const taken = step.runs.filter(({ role }) => role === 'compensation')
  const [only] = own
  const shown = own.length > MAX_RUNS ? own.filter(isWorthALine).slice(0, MAX_RUNS) : own
  const rest = own.length - shown.length
  return [
    ...(own.length === 1 && only !== undefined
      ? [pc.dim(only.status === 'refused' ? 'its run never began' : `${printable(only.run_id)} ${only.status}`)]
      : shown.map((run) => runLine(run))),
    ...(rest > 0 ? [pc.dim(`${rest} more: svc runs --pipeline ${pipelineId}`)] : []),
    ...own.flatMap((run) => answerLines(step, run, pipelineId)),
    ...taken.flatMap((run) => [`${takenText(run)} ${runLine(run)}`, ...answerLines(step, run, pipelineId)]),
  ]
}

/** Formats how to answer the gate of a run, by its name, so that a later gate is not meant. */
function answerLines({ id, runs }: Step, { gate_id, index, role }: Run, pipelineId: string): string[] {
  if (gate_id === undefined) return []
  const isOneOfSeveral = runs.filter((run) => run.gate_id !== undefined).length > 1
  const entry = isOneOfSeveral && role === 'run' ? ` [${index}]` : ''
  return [pc.yellow(printable(`answer${entry} with: svc pipeline approve ${pipelineId} ${id} --gate ${gate_id}`))]
}

function takenText(run: Run): string {
  if (run.status === 'succeeded') return 'taken back by'
  return hasFailed(run) ? 'not taken back by' : 'being taken back by'
}

function isWorthALine({ status }: Run): boolean {
  return status !== 'succeeded' && status !== 'starting'
}

function runLine({ index, run_id, role, status, error, total_usd }: Run): string {
  const place = role === 'run' ? `[${index}] ` : ''
  const why = error === undefined ? '' : `: ${error.code}: ${error.message}`
  const cost = total_usd === 0 ? '' : `  ${usd(total_usd)}`
  return printable(`${place}${status === 'refused' ? 'a run that never began' : `${run_id} ${status}`}${why}${cost}`)
}
