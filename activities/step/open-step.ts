import { type Charge, costOf } from '#core/budget/charge.ts'
import { runCapUsd } from '#core/budget/run-cap.ts'
import type { LegOutcome } from '#core/contract.ts'
import type { JsonObject } from '#core/json.ts'
import { type Cost, capFromUsd, type MicroUsd, totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import type { StepOpening } from '#core/run/patch.ts'
import { isoTime } from '#core/time.ts'
import type { GateRecord, StepRecord } from '#store/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { failRun } from '../run/fail-run.ts'
import { outboxIdsOf, type RunSession, stoppedBy, writePatch } from '../run/run-session.ts'
import type { Unsent } from './ask-again.ts'
import { describeOperation, shownInputs } from './describe.ts'
import { holdBack } from './hold-back.ts'
import { attemptRecord, decidedRecords, recordedTargets, settledCharge } from './records.ts'
import { type JudgedWork, stepKey } from './work.ts'

/** What an attempt stands on. */
export interface Opening {
  attempt: number
  simulation: Simulation | undefined
  approval: GateRecord | undefined
}

/** An attempt that stands on record, and nothing has acted yet. */
interface OpenedStep {
  kind: 'opened'
  open: StepOpening
  reserved: Cost
  /** when the record was asked for leave */
  asked_at: number
  /** places in line of what the chain says of it */
  audit: number[]
}

/** Reserves what the attempt may cost at most and records it, before anything acts. */
export async function openStep(work: JudgedWork, opening: Opening): Promise<OpenedStep | LegOutcome> {
  const { deps, session, step, judged } = work
  const { attempt, simulation, approval } = opening
  const { operator, input, plan_hash } = judged
  const reserved = costOf(operator.estimate?.(input))
  const reserve = totalCost(reserved)
  const decided = decidedRecords(work, {
    ...judged,
    attempt,
    phase: 'act',
    led_to: 'effect',
    effect: effectFacts(work, { attempt, approved_by: approval?.id ?? null }),
  })
  const open: StepOpening = {
    ...stepKey(work),
    attempt,
    ...(session.steps.get(step.id)?.state === 'running' && { again: true }),
    plan_hash,
    inputs: shownInputs(work),
    reserve_micro_usd: reserve,
    reserve_gpu_micro_usd: reserved.gpu,
    reserve_storage_micro_usd: reserved.storage,
    ask_standing: session.ask_standing,
    ...(simulation === undefined ? {} : { simulation: { ...simulation } }),
    ...(await capsOfNow(deps, session, reserve)),
  }
  deps.fault('before_open', session.head.id)
  const asked_at = deps.monotonic()
  const opened = await writePatch(deps, session, {
    open,
    events: [
      decided.event,
      {
        key: `step/${step.id}/${attempt}/started`,
        type: 'step.started',
        step: step.id,
        data: { attempt, operator: operator.id, plan_hash },
      },
    ],
    audit: [decided.audit],
  })
  if (!('refused' in opened))
    return { kind: 'opened', open, reserved, asked_at, audit: outboxIdsOf(decided.audit, opened) }
  if (opened.refused !== 'budget') return await holdBack(work, opened)
  const message = `the next operation may cost ${usdFromMicro(reserve)} USD, which does not fit under the ${opened.scope}'s cap of ${usdFromMicro(opened.cap_micro_usd)} USD`
  const last = lastFailure(session.steps.get(step.id))
  return await failRun(work, { code: 'BudgetExceeded', message, retryable: false, ...last })
}

/**
 * Gives back what an opening holds of which nothing was sent: the step may be opened again. So it may where a call of a model was made
 * before a further one was refused (`spent`), and that one stays charged.
 */
export async function takeBack(work: JudgedWork, open: StepOpening, why: Unsent, spent?: Charge): Promise<LegOutcome> {
  const { step_id, ordinal, attempt } = open
  const giveBack = () =>
    writePatch(work.deps, work.session, {
      settle: {
        ...{ step_id, ordinal, state: 'ready' },
        ...(spent === undefined ? { attempt: attempt - 1, unsent: true } : { attempt, ...settledCharge(spent) }),
      },
      ...(spent !== undefined && {
        audit: [attemptRecord(work, { number: attempt, charge: spent }, 'failed')],
      }),
    })
  if (typeof why === 'object' && 'error' in why) {
    // what stopped the step is told, also where the database is away and cannot take it back
    await giveBack().catch(() => undefined)
    throw why.error
  }
  const given = await giveBack()
  if ('refused' in given) return stoppedBy(given)
  if (why === 'late') return { kind: 'yielded' }
  return why === 'aborted' || why.refused === 'fenced' ? { kind: 'stopped' } : await holdBack(work, why)
}

/** Why the step is at it again, where the cap ends its attempts. */
function lastFailure(record: StepRecord | undefined): { details?: JsonObject } {
  const { code, message } = record?.error ?? {}
  return code === undefined || message === undefined ? {} : { details: { last_failure: { code, message } } }
}

/** The caps as they are now that a reservation has to fit under, besides the one its run began with; none where nothing is reserved. */
async function capsOfNow(
  deps: StepDeps,
  session: RunSession,
  reserve: MicroUsd,
): Promise<
  Pick<StepOpening, 'run_cap_micro_usd' | 'daily_cap_micro_usd' | 'workspace_daily_cap_micro_usd' | 'budget_day'>
> {
  if (reserve === 0) return {}
  const run_cap_micro_usd = capFromUsd(runCapUsd(session.environment, deps.environments.profile(session.head.profile)))
  const ofEnvironment = session.environment.cost_gate.daily_usd
  const ofWorkspace = (await deps.workspaces.find(session.head.workspace_id))?.limits.daily_usd
  if (ofEnvironment === undefined && ofWorkspace === undefined) return { run_cap_micro_usd }
  return {
    run_cap_micro_usd,
    budget_day: isoTime(deps.clock()).slice(0, 10),
    ...(ofEnvironment === undefined ? {} : { daily_cap_micro_usd: capFromUsd(ofEnvironment) }),
    ...(ofWorkspace === undefined ? {} : { workspace_daily_cap_micro_usd: capFromUsd(ofWorkspace) }),
  }
}

/** What the chain says of an effect before it happens: which try it is, what it is aimed at, and on whose answers it stands. */
function effectFacts(work: JudgedWork, tried: { attempt: number; approved_by: string | null }): JsonObject {
  return {
    ...tried,
    vouched_by: vouching(work)?.id ?? null,
    ...(work.judged.is_read ? {} : { targets: recordedTargets(describeOperation(work)) }),
  }
}

/** The gate in which an owner answered for whoever lost their standing. That it still counts is the record's to say, in `vouched_for`. */
function vouching({ session, step, judged }: JudgedWork): GateRecord | undefined {
  return session.gates.findLast(
    (gate) =>
      gate.kind === 'standing_lost' &&
      gate.status === 'approved' &&
      // a workspace without its environment is asked about by such a gate too, and nobody vouches for it
      gate.required.vouches_for !== undefined &&
      (gate.step_id !== step.id || gate.plan_hash === judged.plan_hash),
  )
}
