import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { AdvanceOutcome, RunClaim } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { isCompensation } from '#core/gate/requester.ts'
import type { Plan } from '#core/plan/types.ts'
import { perLane } from '#core/run/lane.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { PROCESSES_ENDED } from '#core/set-aside.ts'
import { claimedRun } from '#services/approvals/refuse-claim.ts'
import { writeWithRetry } from '#services/write-with-retry.ts'
import type { Taken } from '#store/runs/run-answers.ts'
import type { ActivityDeps } from '../deps.ts'
import { executeStep } from '../step/execute-step.ts'
import { redactError } from '../step/redact-result.ts'
import { flush, noteAlive, stoppedBy, type Writing } from './commit.ts'
import { endRun, releaseAfter, setAsideRun } from './end-run.ts'
import { createSlots, laneOfQueue, type Slot, type Slots } from './lane-slots.ts'
import { environmentOf, openSecrets, type RunSession } from './run-session.ts'
import { createSuspects, type Suspects } from './suspects.ts'
import { createWorkspaceTurns } from './workspace-turn.ts'

/** How long an execution may hold its lane slot before it goes to the back of the line. */
const SLOT_MS = 2_000
/** How long a local execution goes on beginning steps: the workflow task, and the caller it is to answer, wait for it. */
const LOCAL_MS = 1_000
const HEARTBEAT_MS = 1_000
/** A local attempt that crashed its process is repeated no sooner than this. */
const UNREAD_MS = 4_000

/** Advances a run to its next wait. Safe to repeat: a settled step stands, and only the newest attempt can write. */
export const createAdvanceRun = (deps: ActivityDeps) => {
  const takeTurn = createWorkspaceTurns(deps)
  const slots = perLane((lane) => createSlots(deps.lanes[lane], deps.monotonic))
  const suspects = createSuspects(deps.monotonic)
  return async function advanceRun(claim: RunClaim): Promise<AdvanceOutcome> {
    const context = Context.current()
    const { isLocal, taskQueue } = context.info
    const lane = slots[laneOfQueue(taskQueue) ?? claim.lane]
    const slot = isLocal ? lane.takeFree() : await waitForSlot(lane, context)
    // no slot is free, or it was told to stop while it waited
    if (slot === undefined) return { kind: isLocal ? 'yielded' : 'stopped' }
    try {
      const turn = await takeTurn(claim, taskQueue)
      if (turn.kind === 'full') return { kind: 'delayed', delay_ms: turn.delay_ms, reason: 'workspace limit' }
      try {
        return await advance({ deps, suspects }, claim, context)
      } finally {
        await turn.slot.release()
      }
    } finally {
      slot.release()
    }
  }
}

/** Without this write the execution counts as a crash. */
function alive(deps: ActivityDeps, held: Parameters<typeof noteAlive>[1]): Parameters<typeof writeWithRetry>[0] {
  const lost = `that the process which worked on ${held.head.id} lives`
  return { write: () => noteAlive(deps, held), lost, log: deps.log }
}

/** Waits for a slot of the lane, and meanwhile tells the engine that this attempt lives. */
async function waitForSlot(lane: Slots, context: Context): Promise<Slot | undefined> {
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS)
  try {
    return await lane.take(context.cancellationSignal)
  } finally {
    clearInterval(heartbeat)
  }
}

async function advance(
  { deps, suspects }: { deps: ActivityDeps; suspects: Suspects },
  claim: RunClaim,
  context: Context,
): Promise<AdvanceOutcome> {
  const began = deps.monotonic()
  const { isLocal, attempt } = context.info
  if (await suspects.holds(() => deps.runs.mayCrash(claim.run_id))) return suspects.later()
  const unread_ms = isLocal ? UNREAD_MS : attempt > 1 ? 0 : undefined
  const taken = await deps.runs.take(claim.run_id, { ...claim, unread_ms })
  if ('refused' in taken) {
    if (taken.refused === 'not_found') await claimedRun(deps, claim)
    return stoppedBy(taken)
  }
  deps.notifyRun(claim.run_id)
  const { fence } = taken.recorded
  const writing: Writing = {
    head: taken.head,
    redactor: createRedactor([]),
    fence,
    pending: null,
    steps: new Map(),
    released: false,
  }
  const open = taken.head.gates.find((gate) => gate.status === 'open')
  if (open !== undefined) {
    // the attempt that parked the run was lost before the workflow heard of it
    await writeWithRetry(alive(deps, writing))
    return { kind: 'parked', gate_id: open.id, step: open.step_id }
  }
  let session: RunSession
  try {
    session = await beginSession(deps, taken, { began, context })
  } catch (error) {
    await writeWithRetry(alive(deps, writing))
    throw error
  }
  const heartbeat = isLocal ? undefined : setInterval(() => context.heartbeat({ step: session.current }), HEARTBEAT_MS)
  try {
    const ended = await suspects.watch(session.head.processes_ended, () => goOn(deps, session))
    const outcome = await releaseAfter(deps, session, ended)
    if (outcome.kind === 'stopped') await writeWithRetry(alive(deps, session))
    return outcome
  } catch (error) {
    await writeWithRetry(alive(deps, session))
    // the engine keeps the error of an attempt in its history, and the worker logs it
    throw redactError(error, session.redactor)
  } finally {
    clearInterval(heartbeat)
  }
}

async function beginSession(
  deps: ActivityDeps,
  taken: Taken,
  { began, context }: { began: number; context: Context },
): Promise<RunSession> {
  const plan = await loadPlan(deps, taken.head.plan_digest)
  const { head, redactor } = await openSecrets(deps, taken.head)
  return {
    head,
    redactor,
    plan,
    environment: environmentOf(deps, head.environment),
    signal: context.cancellationSignal,
    local: context.info.isLocal,
    began,
    fence: taken.recorded.fence,
    ask_standing: !deps.open && !isCompensation(taken.head.provenance),
    steps: new Map(head.steps.map((step) => [step.step_id, step])),
    gates: head.gates,
    votes_before: head.provenance['taken_over'] === undefined ? [] : await deps.runs.votesTakenOver(head.id),
    pending: null,
    released: false,
    current: plan.steps[0]?.id ?? '',
  }
}

async function goOn(deps: ActivityDeps, session: RunSession): Promise<AdvanceOutcome> {
  const { processes_ended } = session.head
  return processes_ended >= PROCESSES_ENDED ? await setAsideRun(deps, session) : await runSteps(deps, session)
}

/** A plan that is not what its digest says runs nothing, however often it is tried. */
async function loadPlan(deps: ActivityDeps, digest: string): Promise<Plan> {
  try {
    return await deps.plans.load(digest)
  } catch (error) {
    if (error instanceof DomainError) throw ApplicationFailure.nonRetryable(error.message, error.code)
    throw error
  }
}

async function runSteps(deps: ActivityDeps, session: RunSession): Promise<AdvanceOutcome> {
  const longest = session.local ? LOCAL_MS : SLOT_MS
  for (const step of session.plan.steps) {
    const state = session.steps.get(step.id)?.state
    if (state === 'succeeded' || state === 'skipped' || (state === 'failed' && session.head.dry_run)) continue
    if (deps.monotonic() - session.began > longest) return { kind: 'yielded' }
    if (session.signal.aborted) {
      await flush(deps, session)
      return { kind: 'stopped' }
    }
    const end = await executeStep(deps, session, step)
    if (end.kind !== 'settled') return end
    deps.fault('after_settle')
  }
  return await endRun(deps, session)
}
