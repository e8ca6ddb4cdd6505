import { type Charge, costOf } from '#core/budget/charge.ts'
import type { LegOutcome } from '#core/contract.ts'
import type { JsonObject } from '#core/json-pointer.ts'
import { type Cost, totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import type { GateRecord, StepRecord } from '#store/run-answers.ts'
import type { StepOpening } from '#store/run-patches.ts'
import type { Unsent } from './ask-again.ts'
import { settledCharge } from './attempt.ts'
import { capsOfNow } from './caps-of-now.ts'
import { effectFacts } from './effect-facts.ts'
import { failRun } from './fail-run.ts'
import { holdBack } from './hold-back.ts'
import { outboxIdsOf, stoppedBy, writePatch } from './run-session.ts'
import { shownInputs } from './shown-inputs.ts'
import { attemptRecord, decidedRecords } from './step-records.ts'
import { type JudgedWork, stepKey } from './step-work.ts'

/** What an attempt stands on. */
export interface Opening {
  attempt: number
  simulation: Simulation | undefined
  approval: GateRecord | undefined
}

/** An attempt that stands on record, and nothing has acted yet. */
export interface OpenedStep {
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
