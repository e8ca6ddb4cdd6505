import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow'
import {
  CLAIM_REFUSED,
  type LegOutcome,
  type RunClaim,
  type RunInput,
  type RunResult,
  type RunWait,
} from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import { advanceRun, closeRun, expireGate, isRefusedClaim } from './activities.ts'
import { acceptCommands } from './commands.ts'

/** The longest history; a run goes on in a new execution before its own reaches it. */
const LONGEST_HISTORY = 2_000
/** What is to wait for long wakes up to a short history. */
const LONG_WAIT_MS = 3_600_000
const SHORT_HISTORY = 200

/** The run: a loop over legs and waits. What it may do, and how its gates end, is read from the record, never kept here. */
export async function runV2({ wait, ...claim }: RunInput): Promise<RunResult> {
  const state: RunState = { ended: new Map(), gate_id: null, cancelled: false, leg: null, closed: false }
  acceptCommands(claim, state)
  return await CancellationScope.nonCancellable(async () => {
    const result = await live(claim, state, wait)
    state.closed = true
    await condition(allHandlersFinished)
    return result
  })
}

export interface RunState {
  /** gates that ended while this execution lives, as the record said */
  ended: Map<string, GateStatus>
  /** the gate that the run waits on */
  gate_id: string | null
  /** the run was told to stop; the record knows, and says how it ends */
  cancelled: boolean
  /** the leg under way */
  leg: CancellationScope | null
  closed: boolean
}

async function live(claim: RunClaim, state: RunState, first: RunWait | undefined): Promise<RunResult> {
  let wait = first
  for (;;) {
    const ended = wait === undefined ? undefined : await waitFor(claim, state, wait)
    if (ended !== undefined) return ended
    if (historyReaches(LONGEST_HISTORY)) {
      await condition(allHandlersFinished)
      return await continueAsNew<typeof runV2>(claim)
    }
    const outcome = await leg(claim, state)
    if (outcome.kind === 'closed') return { status: outcome.status }
    if (outcome.kind === 'cancelling') return await closeRun({ ...claim, error: null })
    if (outcome.kind === 'failed') return await closeRun({ ...claim, error: outcome.error })
    wait = waitAfter(outcome)
  }
}

function waitAfter(outcome: LegOutcome): RunWait | undefined {
  if (outcome.kind === 'parked') {
    const { gate_id, step, wait_ms } = outcome
    return { kind: 'gate', gate_id, step, until_ms: Date.now() + wait_ms }
  }
  if (outcome.kind === 'delayed') {
    return { kind: 'delay', until_ms: Date.now() + outcome.delay_ms, reason: outcome.reason }
  }
  return undefined
}

async function leg(
  claim: RunClaim,
  state: RunState,
): Promise<LegOutcome | { kind: 'failed'; error: { code: string; message: string } }> {
  // the record knows that it is being cancelled, and refuses whatever would begin
  if (state.cancelled) return { kind: 'cancelling' }
  try {
    state.leg = new CancellationScope({ cancellable: true })
    return await state.leg.run(() => advanceRun(claim))
  } catch (error) {
    if (isRefusedClaim(error)) throw ApplicationFailure.nonRetryable('the record knows no such run', CLAIM_REFUSED)
    // a leg whose worker was lost while it was being cancelled is not repeated, and ends as what was asked for
    if (isCancellation(error) || state.cancelled) return { kind: 'stopped' }
    if (error instanceof ActivityFailure)
      return { kind: 'failed', error: { code: 'internal', message: error.cause?.message ?? error.message } }
    throw error
  } finally {
    state.leg = null
  }
}

/** A durable wait that a command cuts short; answers when the run is over with it. */
async function waitFor(claim: RunClaim, state: RunState, wait: RunWait): Promise<RunResult | undefined> {
  const gate_id = wait.kind === 'gate' ? wait.gate_id : null
  const over = () => state.cancelled || (gate_id !== null && state.ended.has(gate_id))
  let { until_ms } = wait
  state.gate_id = gate_id
  try {
    for (;;) {
      const left_ms = until_ms - Date.now()
      const longest = left_ms > LONG_WAIT_MS ? SHORT_HISTORY : LONGEST_HISTORY
      const full = () => historyReaches(longest) && allHandlersFinished()
      const summary = wait.kind === 'gate' ? `approval of ${wait.step}` : wait.reason
      await condition(() => over() || full(), Math.max(1, left_ms), { summary })
      if (over()) break
      // whoever was answered in this execution is in `ended`; nobody is left between the two
      if (full()) return await continueAsNew<typeof runV2>({ ...claim, wait: { ...wait, until_ms } })
      if (gate_id === null) return undefined
      const { status, remaining_ms } = await expireGate({ ...claim, gate_id })
      if (status !== 'open') state.ended.set(gate_id, status)
      until_ms = Date.now() + remaining_ms
    }
  } finally {
    state.gate_id = null
  }
  // the record says how a cancellation ends, whatever became of the gate
  const status = gate_id === null || state.cancelled ? undefined : state.ended.get(gate_id)
  return status !== undefined && isEnd(status) ? { status } : undefined
}

function isEnd(status: GateStatus): status is Exclude<GateStatus, 'open' | 'approved'> {
  return status !== 'open' && status !== 'approved'
}

/** A test may ask for less, by the memo `history_limit`. */
function historyReaches(limit: number): boolean {
  const { continueAsNewSuggested, historyLength, memo } = workflowInfo()
  const asked = Number(memo?.['history_limit'] ?? limit)
  return continueAsNewSuggested || historyLength >= Math.max(20, Math.min(limit, asked))
}
