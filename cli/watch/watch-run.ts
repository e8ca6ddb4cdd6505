import { setTimeout as sleep } from 'node:timers/promises'
import type { Schema } from '#client/create-client.ts'
import { isTerminal } from '#core/run/status.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { followLog } from './follow-log.ts'
import type { Report } from './report.ts'

const GATE_SEEN_WITHIN_MS = 5_000

export interface WatchOptions {
  api: ApiClient
  run_id: string
  report: Report
  /** answers an open gate; `signal` fires when it was resolved elsewhere meanwhile */
  onGate(pending: Schema<'PendingApproval'>, signal: AbortSignal): Promise<'continue' | 'leave'>
}

/** Follows a run from its first event and meets each of its gates, until it ends or `onGate` leaves; then answers the run. */
export async function watchRun({ api, run_id, report, onGate }: WatchOptions): Promise<Schema<'Run'>> {
  const onCut = () => report.say('the stream was cut; taking it up again')
  for (let last = 0; ; ) {
    let gateId: string | undefined
    last = await followLog(api.stream, run_id, {
      afterSeq: last,
      onCut,
      onEvent(event) {
        report.event(event)
        if (event.type !== 'gate.opened') return 'continue'
        gateId = String(event.data['gate_id'])
        return 'enough'
      },
    })
    if (gateId === undefined) return await api.run(run_id)
    const pending = await openGate(api, run_id, gateId)
    if (pending === undefined) continue
    if ((await whileOpen(api, pending, last, (signal) => onGate(pending, signal))) === 'leave')
      return await api.run(run_id)
  }
}

/** The event that opens a gate is read a moment before the run is seen to wait. Undefined when the gate is history. */
export async function openGate(
  api: ApiClient,
  runId: string,
  gateId: string,
): Promise<Schema<'PendingApproval'> | undefined> {
  for (const deadline = Date.now() + GATE_SEEN_WITHIN_MS; ; ) {
    try {
      const pending = await api.pendingApproval(runId)
      return pending.gate_id === gateId ? pending : undefined
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 409) throw error
      const run = await api.run(runId)
      const gate = run.gates.find((each) => each.gate_id === gateId)
      if (isTerminal(run.status) || (gate !== undefined && gate.status !== 'open')) return undefined
      if (Date.now() > deadline) throw error
    }
    await sleep(50)
  }
}

/** Runs `answer` with a signal that fires once the events report the gate's end. */
async function whileOpen<Result>(
  api: ApiClient,
  gate: Schema<'PendingApproval'>,
  afterSeq: number,
  answer: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closed = new AbortController()
  const answered = new AbortController()
  const onEvent = (event: Schema<'RunEvent'>) => (closes(event, gate.gate_id) ? 'enough' : 'continue')
  const watching = followLog(api.stream, gate.run_id, { afterSeq, onEvent, signal: answered.signal }).then(
    () => closed.abort(),
    // the answer itself will find out whether anybody is there
    () => undefined,
  )
  try {
    return await answer(closed.signal)
  } finally {
    answered.abort()
    await watching
  }
}

function closes({ type, data }: Schema<'RunEvent'>, gateId: string): boolean {
  return (type === 'gate.resolved' || type === 'gate.expired') && data['gate_id'] === gateId
}
