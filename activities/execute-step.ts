import type { LegOutcome } from '#core/contract.ts'
import { uncovered } from '#core/gate/uncovered.ts'
import { totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { GateRecord, StepRecord } from '#store/run-records.ts'
import { dailyCaps } from './daily-caps.ts'
import type { StepDeps } from './deps.ts'
import { describeOperation } from './describe-operation.ts'
import { environmentOf } from './environment-of.ts'
import { failRun, type RunFailure, stoppedBy } from './fail-run.ts'
import { openGate } from './open-gate.ts'
import { prepareStep } from './prepare-step.ts'
import { operatorContext, runOperator } from './run-operator.ts'
import { carryDelay, carrySkipped, carrySucceeded, pendingDelay, settleCancelled, settleRetry } from './settle-step.ts'
import { costOf } from './step-cost.ts'
import { decidedRecords } from './step-records.ts'
import { type JudgedStep, judgeStep } from './step-verdict.ts'
import { flush, placeOf, type Walk, writePatch } from './walk.ts'

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
    const settle = unknownSettlement(walk, step, judged, begun.attempt, 'the worker was lost while the operator ran')
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

  const simulation = await simulateStep(deps, walk, step, judged, begun)
  const because = [...judged.gate.because, ...(simulation?.ok === false ? ['simulation_failed'] : [])]
  if (because.length > 0 || judged.gate.on) {
    const missing = missingApproval(judged, walk.gates.filter((gate) => gate.step_id === step.id).at(-1))
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
    return carrySucceeded(
      deps,
      walk,
      step,
      judged,
      1,
      { outputs: { simulated: true, ok: tried.ok, summary: tried.summary } },
      0,
    )
  }
  if (operator.delay_ms !== undefined) return await carryDelay(deps, walk, step, judged, operator.delay_ms(input))
  return await act(deps, walk, step, judged, (begun?.attempt ?? 0) + 1, simulation)
}

/** Reserve, record, wait until the record is durable, act, carry the settlement. */
async function act(
  deps: StepDeps,
  walk: Walk,
  step: PlanStep,
  judged: JudgedStep,
  attempt: number,
  simulation: Simulation | undefined,
): Promise<StepEnd> {
  const { operator, input } = judged
  const reserve = totalCost(costOf(operator.estimate?.(input)))
  const decided = decidedRecords(deps, walk.head, step, attempt, { ...judged, phase: 'act' })
  const caps = await dailyCaps(deps, walk, reserve)
  deps.fault('before_open')
  const opened = await writePatch(deps, walk, {
    open: {
      step_id: step.id,
      ordinal: walk.plan.steps.indexOf(step),
      attempt,
      plan_hash: judged.plan_hash,
      reserve_micro_usd: reserve,
      ...(simulation === undefined ? {} : { simulation: { ...simulation } }),
      ...caps,
    },
    events: [
      decided.event,
      ...(reserve === 0
        ? []
        : [
            {
              key: `step/${step.id}/${attempt}/reserved`,
              type: 'budget.reserved' as const,
              step: step.id,
              data: { usd: usdFromMicro(reserve) },
            },
          ]),
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
    if (opened.refused !== 'budget') return stoppedBy(opened)
    const message = `the next operation may cost ${usdFromMicro(reserve)} USD, which does not fit under the ${opened.scope}'s cap of ${usdFromMicro(opened.cap_micro_usd)} USD`
    return await failRun(deps, walk, step, { code: 'BudgetExceeded', message, retryable: false }, judged)
  }
  try {
    await deps.audit.acknowledged(placeOf(decided.audit, opened))
  } catch (error) {
    // nothing has acted: the step may be opened again as soon as the record is durable
    await writePatch(deps, walk, {
      settle: { step_id: step.id, ordinal: walk.plan.steps.indexOf(step), state: 'ready', attempt: attempt - 1 },
    })
    throw error
  }

  deps.fault('before_operator')
  const end = await runOperator(deps, walk, step, judged, attempt)
  deps.fault('after_operator')
  if (end.kind === 'done') return carrySucceeded(deps, walk, step, judged, attempt, end.result, reserve)
  if (end.kind === 'aborted') return await settleCancelled(deps, walk, step, judged, attempt, end.reason)
  const { error } = end
  if (error.unknown_outcome) {
    const settle = unknownSettlement(walk, step, judged, attempt, error.message)
    return await openGate(deps, walk, step, judged, { kind: 'outcome_unknown', because: ['outcome_unknown'], settle })
  }
  if (error.retryable && attempt < step.retry.max_attempts) {
    const retry = await settleRetry(deps, walk, step, attempt, error)
    return retry ?? (await executeStep(deps, walk, step))
  }
  const { code, message, retryable } = error
  return await failRun(
    deps,
    walk,
    step,
    { code, message, retryable, ...(error.details === undefined ? {} : { details: error.details }) },
    judged,
    attempt,
  )
}

/** Tries the operation without effect when a policy, or the run itself, asks for it; a known result for the same plan stands. */
async function simulateStep(
  deps: StepDeps,
  walk: Walk,
  step: PlanStep,
  judged: JudgedStep,
  begun: StepRecord | undefined,
): Promise<Simulation | undefined> {
  const wanted = judged.verdict.dry_run || (walk.head.dry_run && !judged.is_read)
  if (!wanted || judged.operator.simulate === undefined) return undefined
  const known = begun?.simulation
  if (known && begun.plan_hash === judged.plan_hash)
    return { ok: known['ok'] === true, summary: String(known['summary']), details: known['details'] ?? null }
  await flush(deps, walk)
  try {
    const signal = AbortSignal.any([walk.signal, AbortSignal.timeout(step.timeout_ms)])
    const simulation = await judged.operator.simulate(
      operatorContext(deps, walk, step, judged, 0, signal),
      judged.input,
    )
    return walk.redactor.data({ ...simulation, details: simulation.details ?? null })
  } catch (error) {
    return { ok: false, summary: walk.redactor.text(error instanceof Error ? error.message : String(error)) }
  }
}

/** A step that had begun when its worker was lost, and cannot be prepared any more, must not read as if nothing had happened. */
function mayHaveActed(error: RunFailure, begun: StepRecord | undefined): RunFailure {
  if (begun?.state !== 'running') return error
  return { ...error, message: `${error.message}; the step had begun before, and its effect may have happened` }
}

/** Why the latest answer does not cover what is about to run; undefined when it does. */
function missingApproval(judged: JudgedStep, latest: GateRecord | undefined): string[] | undefined {
  if (latest?.status !== 'approved') return []
  if (latest.plan_hash !== judged.plan_hash) return ['plan_changed']
  const reason = uncovered(latest.required, judged.gate.required)
  if (reason !== undefined) return [reason]
  // nobody may let anything through such a freeze, whichever way the answer came
  return judged.gate.frozen ? ['frozen'] : undefined
}

/** An effect that may have happened is charged in full: the cap holds whatever the truth turns out to be. */
function unknownSettlement(walk: Walk, step: PlanStep, judged: JudgedStep, attempt: number, message: string) {
  const cost = costOf(judged.operator.estimate?.(judged.input))
  return {
    step_id: step.id,
    ordinal: walk.plan.steps.indexOf(step),
    state: 'outcome_unknown' as const,
    attempt,
    message,
    llm_micro_usd: cost.llm,
    gpu_micro_usd: cost.gpu,
    storage_micro_usd: cost.storage,
  }
}
