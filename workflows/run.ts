import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import {
  CLAIM_REFUSED,
  FAILURE_TEXT_LENGTH,
  type LegOutcome,
  type RunClaim,
  type RunHints,
  type RunResult,
} from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import { advanceNear, advanceRun, closeRun, expireGate, isRefusedClaim, PAUSE_MS, readDelay } from './activities.ts'
import { acceptCommands } from './commands.ts'

/** The longest history; a run goes on in a new execution before its own reaches it. */
const LONGEST_HISTORY = 2_000
/** After this long the record is asked again; what is to wait for longer wakes up to a short history. */
const LONG_WAIT_MS = 3_600_000
const SHORT_HISTORY = 200
/** A delay up to this long is waited out as the leg said; a longer one stands on record. */
const SHORT_DELAY_MS = 15_000

/** The run: a loop over legs and waits. What it may do, and how its gates end, is read from the record, never kept here. */
export async function runV2(claim: RunClaim, hints?: RunHints): Promise<RunResult> {
  const state: RunState = {
    ended: new Map(),
    gate_id: null,
    woken: false,
    cancelled: false,
    near: hints?.near === true,
    leg: null,
    closed: false,
  }
  acceptCommands(claim, state)
  return await CancellationScope.nonCancellable(async () => {
    const result = await live(claim, state)
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
  /** something was decided, or the run was woken, since the record was last asked what there is to wait for */
  woken: boolean
  /** the run was told to stop; the record knows, and says how it ends */
  cancelled: boolean
  /** the next leg is tried beside the workflow task; what comes after it goes the ordinary way */
  near: boolean
  /** the leg under way */
  leg: CancellationScope | null
  closed: boolean
}

type Outcome = LegOutcome | { kind: 'failed'; failure: string } | { kind: 'none' }

async function live(claim: RunClaim, state: RunState): Promise<RunResult> {
  for (;;) {
    if (historyReaches(LONGEST_HISTORY)) {
      await condition(allHandlersFinished)
      return await continueAsNew<typeof runV2>(claim)
    }
    const ended = await follow(claim, state, await leg(claim, state))
    if (ended !== undefined) return ended
  }
}

async function leg(claim: RunClaim, state: RunState): Promise<Outcome> {
  // the record knows that it is being cancelled, and refuses whatever would begin
  if (state.cancelled) return { kind: 'cancelling' }
  const { near } = state
  state.near = false
  try {
    state.leg = new CancellationScope({ cancellable: true })
    const outcome = await state.leg.run(() => (near ? advanceNear(claim) : advanceRun(claim)))
    return isResultOf.advanceRun(outcome) ? outcome : { kind: 'none' }
  } catch (error) {
    if (isRefusedClaim(error)) throw ApplicationFailure.nonRetryable('the record knows no such run', CLAIM_REFUSED)
    // a leg whose worker was lost while it was being cancelled is not repeated, and ends as what was asked for
    if (isCancellation(error) || state.cancelled) return { kind: 'stopped' }
    // it took too long, or its worker is going away: what it has done is on record
    if (near && error instanceof TemporalFailure) return { kind: 'yielded' }
    if (error instanceof ActivityFailure)
      return { kind: 'failed', failure: (error.cause?.message ?? error.message).slice(0, FAILURE_TEXT_LENGTH) }
    throw error
  } finally {
    state.leg = null
  }
}

/** Does what a leg has come to, as far as the record bears it out; answers when the run is over. */
async function follow(claim: RunClaim, state: RunState, outcome: Outcome): Promise<RunResult | undefined> {
  try {
    if (outcome.kind === 'closed') return { status: outcome.status }
    if (outcome.kind === 'cancelling') return await closeRun({ ...claim, failure: null })
    if (outcome.kind === 'failed') return await closeRun({ ...claim, failure: outcome.failure })
    if (outcome.kind === 'parked') return await waitForGate(claim, state, outcome)
    if (outcome.kind === 'delayed' && (await waitForDelay(claim, state, outcome))) return undefined
    if (outcome.kind === 'yielded' || outcome.kind === 'stopped') return undefined
  } catch (error) {
    if (!isRefusedClaim(error)) throw error
    state.cancelled = false
  }
  await sleep(PAUSE_MS)
  return undefined
}

async function waitForGate(
  claim: RunClaim,
  state: RunState,
  { gate_id, step, near }: LegOutcome & { kind: 'parked' },
): Promise<RunResult | undefined> {
  state.ended.delete(gate_id)
  state.gate_id = gate_id
  try {
    await wait(claim, state, `approval of ${step}`, async () => {
      if (state.ended.has(gate_id)) return 0
      const { status, remaining_ms } = await expireGate({ ...claim, gate_id })
      if (status === 'open') return Math.max(1, remaining_ms)
      state.ended.set(gate_id, status)
      return 0
    })
  } finally {
    state.gate_id = null
  }
  state.near = near === true
  // the record says how a cancellation ends, whatever became of the gate
  const status = state.cancelled ? undefined : state.ended.get(gate_id)
  return status === undefined || status === 'open' || status === 'approved' ? undefined : { status }
}

/** false where the record knows of no such delay */
async function waitForDelay(
  claim: RunClaim,
  state: RunState,
  { delay_ms, reason }: LegOutcome & { kind: 'delayed' },
): Promise<boolean> {
  if (delay_ms > SHORT_DELAY_MS)
    return await wait(claim, state, reason, async () => (await readDelay(claim)).remaining_ms)
  const lefts = [delay_ms]
  return await wait(claim, state, reason, async () => lefts.pop() ?? 0)
}

/** Waits for as long as there is something left, or until a command; whatever was decided, the record is asked again. */
async function wait(claim: RunClaim, state: RunState, summary: string, left: () => Promise<number>): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    if (state.cancelled) return true
    state.woken = false
    const left_ms = await left()
    if (left_ms === 0) return waited
    const longest = left_ms > LONG_WAIT_MS ? SHORT_HISTORY : LONGEST_HISTORY
    const full = () => left_ms > SHORT_DELAY_MS && historyReaches(longest) && allHandlersFinished()
    await condition(() => state.woken || full(), Math.min(left_ms, LONG_WAIT_MS), { summary })
    // whoever was answered in this execution has woken it; nobody is left between the two
    if (!state.woken && full()) return await continueAsNew<typeof runV2>(claim)
  }
}

/** A test may ask for less, by the memo `history_limit`. */
function historyReaches(limit: number): boolean {
  const { continueAsNewSuggested, historyLength, memo } = workflowInfo()
  const asked = Number(memo?.['history_limit'] ?? limit)
  return continueAsNewSuggested || historyLength >= Math.max(20, Math.min(limit, asked))
}
