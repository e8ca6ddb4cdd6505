import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { LegOutcome, RunClaim } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { renderValue } from '#core/expression/render-value.ts'
import type { JsonObject } from '#core/json.ts'
import type { Plan } from '#core/plan/types.ts'
import { perLane } from '#core/run/lane.ts'
import { claimedRun } from '#services/approvals/refuse-claim.ts'
import type { ActivityDeps } from './deps.ts'
import { endDryRun } from './end-dry-run.ts'
import { environmentOf } from './environment-of.ts'
import { executeStep } from './execute-step.ts'
import { failRun, stoppedBy } from './fail-run.ts'
import { laneOfQueue } from './lane-of-queue.ts'
import { createLegSlots, type LegSlot, type LegSlots } from './leg-slots.ts'
import { openSecrets } from './open-secrets.ts'
import { redactError } from './redact-result.ts'
import { draftAudit } from './step-records.ts'
import { expressionScope, flush, type Walk, writePatch } from './walk.ts'
import { createWorkspaceTurns } from './workspace-turn.ts'
import { yieldLeg } from './yield-leg.ts'

/** How long a leg may hold its lane slot before it goes to the back of the line. */
const SLOT_MS = 2_000
/** How long a near leg goes on beginning steps: the workflow task, and whoever it is to answer, waits for it. */
const NEAR_MS = 1_000
const HEARTBEAT_MS = 1_000

/** Carries a run to its next wait. Safe to repeat: a settled step stands, and only the newest attempt can write. */
export const createAdvanceRun = (deps: ActivityDeps) => {
  const takeTurn = createWorkspaceTurns(deps)
  const slots = perLane((lane) => createLegSlots(deps.lanes[lane], deps.monotonic))
  return async function advanceRun(claim: RunClaim): Promise<LegOutcome> {
    const context = Context.current()
    const { isLocal, taskQueue } = context.info
    const lane = slots[laneOfQueue(taskQueue) ?? claim.lane]
    const slot = isLocal ? lane.takeFree() : await waitForSlot(lane, context)
    // there is a line, and it stands in it; or it was told to stop while it waited
    if (slot === undefined) return { kind: isLocal ? 'yielded' : 'stopped' }
    try {
      const turn = await takeTurn(claim, taskQueue)
      if (turn.kind === 'full') return { kind: 'delayed', delay_ms: turn.delay_ms, reason: 'workspace limit' }
      try {
        return await advance(deps, claim, context)
      } finally {
        await turn.slot.release()
      }
    } finally {
      slot.release()
    }
  }
}

/** A near leg may hold the slot for a moment. */
async function waitForSlot(lane: LegSlots, context: Context): Promise<LegSlot | undefined> {
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS)
  try {
    return await lane.take(context.cancellationSignal)
  } finally {
    clearInterval(heartbeat)
  }
}

async function advance(deps: ActivityDeps, claim: RunClaim, context: Context): Promise<LegOutcome> {
  const began = deps.monotonic()
  const taken = await deps.runs.take(claim.run_id, claim)
  if ('refused' in taken) {
    if (taken.refused === 'not_found') await claimedRun(deps, claim)
    return stoppedBy(taken)
  }
  deps.ring(claim.run_id)
  const { recorded } = taken
  const open = taken.head.gates.find((gate) => gate.status === 'open')
  // the attempt that parked the run was lost before the workflow heard of it
  if (open !== undefined) return { kind: 'parked', gate_id: open.id, step: open.step_id }
  const plan = await loadPlan(deps, taken.head.plan_digest)
  const { head, redactor } = await openSecrets(deps, taken.head)
  const walk: Walk = {
    head,
    redactor,
    plan,
    environment: environmentOf(deps, head.environment),
    signal: context.cancellationSignal,
    near: context.info.isLocal,
    began,
    fence: recorded.fence,
    ask_standing: !deps.open,
    steps: new Map(head.steps.map((step) => [step.step_id, step])),
    gates: head.gates,
    carried: null,
    current: plan.steps[0]?.id ?? '',
  }
  const heartbeat = walk.near ? undefined : setInterval(() => context.heartbeat({ step: walk.current }), HEARTBEAT_MS)
  try {
    return await walkSteps(deps, walk)
  } catch (error) {
    // the engine keeps the error of an attempt in its history, and the worker logs it
    throw redactError(error, redactor)
  } finally {
    clearInterval(heartbeat)
  }
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

async function walkSteps(deps: ActivityDeps, walk: Walk): Promise<LegOutcome> {
  const longest = walk.near ? NEAR_MS : SLOT_MS
  for (const step of walk.plan.steps) {
    const state = walk.steps.get(step.id)?.state
    if (state === 'succeeded' || state === 'skipped' || (state === 'failed' && walk.head.dry_run)) continue
    if (deps.monotonic() - walk.began > longest) return await yieldLeg(deps, walk)
    if (walk.signal.aborted) {
      await flush(deps, walk)
      return { kind: 'stopped' }
    }
    const end = await executeStep(deps, walk, step)
    if (end.kind !== 'settled') return end
    deps.fault('after_settle')
  }
  return await (walk.head.dry_run ? endDryRun(deps, walk) : succeed(deps, walk))
}

async function succeed(deps: ActivityDeps, walk: Walk): Promise<LegOutcome> {
  const last = walk.plan.steps.at(-1)
  let outputs: JsonObject
  try {
    outputs = walk.redactor.data(renderValue(walk.plan.outputs, expressionScope(walk)) as JsonObject)
  } catch (error) {
    if (!(error instanceof DomainError) || last === undefined) throw error
    await flush(deps, walk)
    return await failRun(
      { deps, walk, step: last },
      { code: 'outputs_invalid', message: error.message, retryable: false },
    )
  }
  const recorded = await writePatch(deps, walk, {
    run: { status: 'succeeded', outputs, ...(isAwaited(walk) && { tell: true }) },
    events: [{ key: 'run/succeeded', type: 'run.succeeded', data: { outputs } }],
    audit: [
      draftAudit(deps, walk.head, {
        category: 'lineage',
        action: 'run.succeeded',
        data: { template: walk.plan.digest },
      }),
    ],
  })
  if ('refused' in recorded) return stoppedBy(recorded)
  deps.fault('after_close')
  return { kind: 'closed', status: 'succeeded' }
}

/** After a decision people hear how it ended, and so does whoever the environment names. */
function isAwaited({ gates, environment }: Walk): boolean {
  return gates.some(({ status }) => status === 'approved') || (environment.notify?.on.includes('succeeded') ?? false)
}
