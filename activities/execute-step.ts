import { chargeOf, costOf } from '#core/budget/charge.ts'
import type { LegOutcome } from '#core/contract.ts'
import type { JsonObject } from '#core/json.ts'
import { type Cost, totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { NEAR_STEP_MS } from '#core/plan/stays-near.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { GateRecord, Refusal, StepOpening, StepRecord } from '#store/run-records.ts'
import { openingAsker, type Unsent } from './ask-again.ts'
import { type Attempt, FREE, settledCharge } from './attempt.ts'
import { capsOfNow } from './caps-of-now.ts'
import type { StepDeps } from './deps.ts'
import { describeOperation } from './describe-operation.ts'
import { effectFacts } from './effect-facts.ts'
import { environmentOf } from './environment-of.ts'
import { failRun, type RunFailure, stoppedBy } from './fail-run.ts'
import { holdBack } from './hold-back.ts'
import { missingApproval } from './missing-approval.ts'
import { openGate } from './open-gate.ts'
import { prepareStep } from './prepare-step.ts'
import { type OperatorEnd, runOperator } from './run-operator.ts'
import { carryDelay, carrySkipped, carrySucceeded, pendingDelay, settleCancelled, settleRetry } from './settle-step.ts'
import { simulateStep } from './simulate-step.ts'
import { decidedRecords } from './step-records.ts'
import { type JudgedStep, judgeStep } from './step-verdict.ts'
import { placeOf, type Walk, writePatch } from './walk.ts'
import { yieldLeg } from './yield-leg.ts'

export type StepEnd = { kind: 'settled' } | LegOutcome

/**
 * The one place where anything acts. In order: render, judge by four authorities, park or refuse, simulate, compare with
 * what was approved, reserve and record durably, act once, carry the settlement. Nothing below can be skipped by a
 * template, an operator or a caller.
 */
export async function executeStep(deps: StepDeps, walk: Walk, step: PlanStep): Promise<StepEnd> {
  walk.current = step.id
  // an attempt may take hours: the next one is judged and done by what is in force then
  walk.environment = environmentOf(deps, walk.head.environment)
  const begun = walk.steps.get(step.id)
  const early = pendingDelay(deps, begun)
  if (early !== undefined) return early
  const prepared = await prepareStep(deps, walk, step)
  if (prepared.kind === 'skipped') return await carrySkipped(deps, walk, step)
  if (prepared.kind === 'invalid') return await failRun(deps, walk, step, mayHaveActed(prepared.error, begun))
  const { operator, input } = prepared.operation
  const judged = await judgeStep(deps, walk, step, prepared.operation)

  if (begun?.state === 'running' && operator.replay(input) === 'ask') {
    // charged when its fence was taken
    const settle = unknownSettlement(walk, step, begun.attempt, 'the worker was lost while the operator ran')
    return await openGate(deps, walk, step, judged, { kind: 'outcome_unknown', because: ['outcome_unknown'], settle })
  }
  if (judged.verdict.effect === 'deny') {
    const reasons = judged.verdict.matched
      .filter((match) => match.effect === 'deny')
      .map((match) => `${match.name}: ${match.reason}`)
    return await failRun(
      deps,
      walk,
      step,
      { code: 'PolicyDenied', message: reasons.join('; '), retryable: false },
      judged,
    )
  }

  if (walk.near && (judged.verdict.dry_run || walk.head.dry_run)) return await yieldLeg(deps, walk)
  const simulation = await simulateStep(deps, walk, step, judged, begun)
  if (simulation !== undefined && 'refused' in simulation)
    return await mayNotBegin(deps, walk, step, judged, simulation)
  const because = [...judged.gate.because, ...unproven(simulation)]
  const approval = because.length > 0 || judged.gate.on ? latestApproval(walk, step) : undefined
  if (because.length > 0 || judged.gate.on) {
    const missing = missingApproval(judged, approval)
    if (missing !== undefined) {
      const record = simulation === undefined ? {} : { simulation: { ...simulation } }
      return await openGate(deps, walk, step, judged, {
        kind: 'approval',
        because: [...missing, ...because],
        ...record,
      })
    }
  }
  if (walk.head.dry_run && !judged.is_read) {
    const tried = simulation ?? { ok: true, summary: walk.redactor.text(describeOperation(walk, step, judged).summary) }
    const outputs = { simulated: true, ok: tried.ok, summary: tried.summary }
    return carrySucceeded(deps, walk, step, judged, { number: 1, charge: FREE }, { outputs })
  }
  if (operator.delay_ms !== undefined) return await carryDelay(deps, walk, step, judged, operator.delay_ms(input))
  // a near leg may be given up at any time: it begins only what is short, and harmless to begin again
  if (walk.near && (step.timeout_ms > NEAR_STEP_MS || operator.replay(input) === 'ask'))
    return await yieldLeg(deps, walk)
  return await act(deps, walk, step, judged, (begun?.attempt ?? 0) + 1, { simulation, approval })
}

/** Reserve, record, wait until the record is durable, act, carry the settlement. */
async function act(
  deps: StepDeps,
  walk: Walk,
  step: PlanStep,
  judged: JudgedStep,
  attempt: number,
  { simulation, approval }: { simulation: Simulation | undefined; approval: GateRecord | undefined },
): Promise<StepEnd> {
  const { operator, input } = judged
  const reserved = costOf(operator.estimate?.(input))
  const reserve = totalCost(reserved)
  const decided = decidedRecords(deps, walk.head, step, attempt, {
    ...judged,
    phase: 'act',
    led_to: 'effect',
    effect: effectFacts(walk, step, judged, { attempt, approved_by: approval?.id ?? null }),
  })
  const open: StepOpening = {
    step_id: step.id,
    ordinal: walk.plan.steps.indexOf(step),
    attempt,
    plan_hash: judged.plan_hash,
    reserve_micro_usd: reserve,
    reserve_gpu_micro_usd: reserved.gpu,
    reserve_storage_micro_usd: reserved.storage,
    ask_standing: walk.ask_standing,
    ...(simulation === undefined ? {} : { simulation: { ...simulation } }),
    ...(await capsOfNow(deps, walk, reserve)),
  }
  deps.fault('before_open')
  const asked_at = deps.monotonic()
  const opened = await writePatch(deps, walk, {
    open,
    events: [
      decided.event,
      {
        key: `step/${step.id}/${attempt}/started`,
        type: 'step.started',
        step: step.id,
        data: { attempt, operator: operator.id, plan_hash: judged.plan_hash },
      },
    ],
    audit: [decided.audit],
  })
  if ('refused' in opened) {
    if (opened.refused !== 'budget') return await mayNotBegin(deps, walk, step, judged, opened)
    const message = `the next operation may cost ${usdFromMicro(reserve)} USD, which does not fit under the ${opened.scope}'s cap of ${usdFromMicro(opened.cap_micro_usd)} USD`
    const last = lastFailure(walk.steps.get(step.id))
    return await failRun(deps, walk, step, { code: 'BudgetExceeded', message, retryable: false, ...last }, judged)
  }
  // nothing has acted: the step may be opened again
  const giveBack = () =>
    writePatch(deps, walk, {
      settle: { step_id: step.id, ordinal: open.ordinal, state: 'ready', attempt: attempt - 1, unsent: true },
    })
  const takeBack = async (why: Unsent): Promise<StepEnd> => {
    if (typeof why === 'object' && 'error' in why) {
      // what stopped the step is told, also where the database is away and cannot take it back
      await giveBack().catch(() => undefined)
      throw why.error
    }
    const given = await giveBack()
    if ('refused' in given) return stoppedBy(given)
    return why === 'aborted' ? { kind: 'stopped' } : await holdBack(deps, walk, step, judged, why)
  }
  const askAgain = openingAsker(deps, walk, open, asked_at)
  const unsent = await deps.audit.acknowledged(placeOf(decided.audit, opened)).then(askAgain, (error) => ({ error }))
  if (unsent !== undefined) return await takeBack(unsent)

  deps.fault('before_operator')
  const end = await runOperator(deps, walk, step, judged, attempt, askAgain)
  if (end.kind === 'unsent') return await takeBack(end.why)
  deps.fault('after_operator')
  const made: Attempt = { number: attempt, charge: chargeOf(reserved, reportedBy(end)) }
  if (end.kind === 'done') return carrySucceeded(deps, walk, step, judged, made, end.result)
  if (end.kind === 'aborted') return await settleCancelled(deps, walk, step, judged, made, end.reason)
  const { error } = end
  if (error.unknown_outcome) {
    const settle = { ...unknownSettlement(walk, step, attempt, error.message), ...settledCharge(made.charge) }
    const kind = 'outcome_unknown'
    return await openGate(deps, walk, step, judged, { kind, because: [kind], settle, made })
  }
  if (error.retryable && attempt < step.retry.max_attempts) {
    const retry = await settleRetry(deps, walk, step, judged, made, error)
    return retry ?? (await executeStep(deps, walk, step))
  }
  const { code, message, retryable } = error
  return await failRun(
    deps,
    walk,
    step,
    { code, message, retryable, ...(error.details === undefined ? {} : { details: error.details }) },
    judged,
    made,
  )
}

/** Why the step is at it again, where the cap ends its attempts. */
function lastFailure(record: StepRecord | undefined): { details?: JsonObject } {
  const { code, message } = record?.error ?? {}
  return code === undefined || message === undefined ? {} : { details: { last_failure: { code, message } } }
}

function reportedBy(end: Exclude<OperatorEnd, { kind: 'unsent' }>): Partial<Cost> | undefined {
  if (end.kind === 'done') return end.result.cost
  return end.kind === 'failed' ? end.error.cost : end.cost
}

/** The record refused a beginning: the run is held back, or it is not this leg's any more. */
async function mayNotBegin(
  deps: StepDeps,
  walk: Walk,
  step: PlanStep,
  judged: JudgedStep,
  refusal: Refusal,
): Promise<LegOutcome> {
  if (refusal.refused === 'halted' || refusal.refused === 'standing_lost')
    return await holdBack(deps, walk, step, judged, refusal)
  return stoppedBy(refusal)
}

/** A step that had begun when its worker was lost, and cannot be prepared any more, must not read as if nothing had happened. */
function mayHaveActed(error: RunFailure, begun: StepRecord | undefined): RunFailure {
  if (begun?.state !== 'running') return error
  return { ...error, message: `${error.message}; the step had begun before, and its effect may have happened` }
}

/** The latest gate that asked about what the step does: who answers for the run is another question. */
function latestApproval(walk: Walk, step: PlanStep): GateRecord | undefined {
  return walk.gates.filter(({ step_id, kind }) => step_id === step.id && kind !== 'standing_lost').at(-1)
}

/** Why a simulation lets nothing through. */
function unproven(simulation: Simulation | undefined): string[] {
  if (simulation === undefined || simulation.ok) return []
  return [simulation.not_tried ? 'not_simulated' : 'simulation_failed']
}

function unknownSettlement(walk: Walk, step: PlanStep, attempt: number, message: string) {
  return {
    step_id: step.id,
    ordinal: walk.plan.steps.indexOf(step),
    state: 'outcome_unknown' as const,
    attempt,
    message,
  }
}
