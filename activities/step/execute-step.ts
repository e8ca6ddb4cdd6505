import { chargeOf } from '#core/budget/charge.ts'
import type { Cost } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import { NEAR_STEP_MS } from '#core/plan/estimate-plan.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { StepSettlement } from '#core/run/patch.ts'
import { isoTime } from '#core/time.ts'
import type { GateRecord, StepRecord } from '#store/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { yieldLeg } from '../run/end-run.ts'
import { failRun } from '../run/fail-run.ts'
import { environmentOf, type RunSession } from '../run/run-session.ts'
import { inTime, openingAsker } from './ask-again.ts'
import { holdBack } from './hold-back.ts'
import { isStillGranted, judgeStep, missingApproval, planChanges } from './judge.ts'
import { openGate } from './open-gate.ts'
import { type Opening, openStep, takeBack } from './open-step.ts'
import { foretellStep, foretellUnjudged, settleFailedRead, settleForetold } from './predict.ts'
import { type PreparedStep, prepareStep } from './prepare.ts'
import { type Attempt, settledCharge } from './records.ts'
import { type OperatorEnd, runOperator } from './run-operator.ts'
import { pendingDelay, settleCancelled, settleDelay, settleRetry, settleSkipped, settleSucceeded } from './settle.ts'
import { simulateStep } from './simulate.ts'
import { type JudgedWork, type RunFailure, type StepEnd, type StepWork, stepKey } from './work.ts'

/**
 * The one place where anything acts. In order: render, judge by four authorities, refuse, ask whether the workspace may still use the
 * environment, simulate, compare with what was approved or park, reserve and record durably, act once, keep the settlement. Nothing
 * below can be skipped by a template, an operator or a caller.
 */
export async function executeStep(deps: StepDeps, session: RunSession, step: PlanStep): Promise<StepEnd> {
  const asked: StepWork = { deps, session, step }
  session.current = step.id
  // an attempt may take hours: the next one is judged and done by what is in force then
  session.environment = environmentOf(deps, session.head.environment)
  const begun = session.steps.get(step.id)
  const early = pendingDelay(deps, begun)
  if (early !== undefined) return early
  const prepared = await prepareStep(asked)
  if (session.head.dry_run) return await executeDry(asked, prepared, begun)
  if (prepared.kind === 'unknown') throw new Error(`step ${step.id} is no step of a dry run`)
  if (prepared.kind === 'skipped') return await settleSkipped(asked)
  if (prepared.kind === 'invalid') return await failRun(asked, mayHaveActed(prepared.error, begun))
  const { operator, input } = prepared.operation
  const judged = await judgeStep(asked, prepared.operation)
  const work: JudgedWork = { ...asked, judged }

  if (begun?.state === 'running' && operator.replay(input) === 'ask') {
    // charged when its fence was taken
    const settle = unknownSettlement(work, begun.attempt, 'the worker was lost while the operator ran')
    return await openGate(work, unknownGate(work, settle))
  }
  if (judged.verdict.effect === 'deny') {
    const reasons = judged.verdict.matched
      .filter((match) => match.effect === 'deny')
      .map((match) => `${match.name}: ${match.reason}`)
    return await failRun(work, { code: 'PolicyDenied', message: reasons.join('; '), retryable: false })
  }

  if (session.near && judged.verdict.dry_run) return await yieldLeg(deps, session)
  if (!(await isStillGranted(deps, session))) return await holdBack(work, { refused: 'grant_lost' })
  const simulation = await simulateStep(work, begun)
  if (simulation !== undefined && 'refused' in simulation) return await holdBack(work, simulation)
  const because = [...judged.gate.because, ...unproven(simulation)]
  const asks = because.length > 0 || judged.gate.on
  const approval = asks ? latestApproval(session, step) : undefined
  const missing = asks ? missingApproval(judged, approval) : undefined
  if (missing !== undefined) {
    const record = simulation === undefined ? {} : { simulation: { ...simulation } }
    const words = missing.includes('plan_changed') ? planChanges(judged, session.redactor, approval) : undefined
    return await openGate(work, { kind: 'approval', because: [...missing, ...because], words, ...record })
  }
  if (operator.delay_ms !== undefined) return await settleDelay(work, operator.delay_ms(input))
  // a near leg may be given up at any time: it begins only what is short, and harmless to begin again
  if (session.near && (step.timeout_ms > NEAR_STEP_MS || operator.replay(input) === 'ask'))
    return await yieldLeg(deps, session)
  return await act(work, { attempt: (begun?.attempt ?? 0) + 1, simulation, approval })
}

/** In a dry run nothing acts: each step says what it would do, and reads that nobody need approve are done, once. */
async function executeDry(asked: StepWork, prepared: PreparedStep, begun: StepRecord | undefined): Promise<StepEnd> {
  if (asked.session.near) return await yieldLeg(asked.deps, asked.session)
  if (prepared.kind !== 'ready') return await settleForetold(asked, foretellUnjudged(asked, prepared))
  const { operator, input } = prepared.operation
  const work: JudgedWork = { ...asked, judged: await judgeStep(asked, prepared.operation) }
  if (!(await isStillGranted(asked.deps, asked.session))) return await holdBack(work, { refused: 'grant_lost' })
  // what waits for the world is not asked how the world is: nothing of what it waits for has happened
  const waits = operator.waits || operator.delay_ms !== undefined
  const denied = work.judged.verdict.effect === 'deny'
  const simulation = waits || denied ? undefined : await simulateStep(work, begun)
  if (simulation !== undefined && 'refused' in simulation) return await holdBack(work, simulation)
  const foretold = await foretellStep(work, simulation)
  // a read after a step that was left out would read what that has not changed
  const { would, gate, without } = foretold
  const may = would === 'read' && gate === undefined && without === undefined && operator.replay(input) === 'safe'
  if (!may) return await settleForetold(work, foretold)
  const attempt = (begun?.attempt ?? 0) + 1
  return await act({ ...work, foretold }, { attempt, simulation, approval: undefined })
}

/** Reserve, record, wait until the record is durable, act, keep the settlement. */
async function act(work: JudgedWork, opening: Opening): Promise<StepEnd> {
  const { deps } = work
  const { attempt } = opening
  const opened = await openStep(work, opening)
  if (opened.kind !== 'opened') return opened
  const { open, reserved, asked_at } = opened
  const ask = openingAsker(work, open, asked_at)
  const askAgain = () => inTime(work, ask())
  const unsent = await inTime(
    work,
    deps.audit.acknowledged(opened.audit).then(ask, (error) => ({ error })),
  )
  if (unsent !== undefined) return await takeBack(work, open, unsent)

  deps.fault('before_operator', work.session.head.id)
  const end = await runOperator(work, attempt, askAgain)
  const charge = chargeOf(heldBy(reserved, end), end.calls === undefined ? reportedBy(end) : reportedCalls(end.calls))
  if (end.kind === 'unsent') return await takeBack(work, open, end.why, end.calls && charge)
  deps.fault('after_operator')
  return await settleEnd(work, { number: attempt, charge, log: end.log }, end)
}

/** What the attempt holds: what it was opened with, and what its calls of models cost. */
function heldBy(reserved: Cost, { calls }: OperatorEnd): Cost {
  return { ...reserved, llm: reserved.llm + (calls?.held ?? 0) }
}

function reportedCalls({ held, reported }: NonNullable<OperatorEnd['calls']>): Partial<Cost> | undefined {
  return reported ? { llm: held } : undefined
}

type ActedEnd = Exclude<OperatorEnd, { kind: 'unsent' }>

/** What becomes of the step, and of the run, by how its operator ended. */
async function settleEnd(work: JudgedWork, made: Attempt, end: ActedEnd): Promise<StepEnd> {
  if (end.kind === 'done') return settleSucceeded(work, made, end.result)
  const { foretold } = work
  if (foretold !== undefined && end.kind === 'failed')
    return await settleFailedRead(work, made, { error: end.error, foretold })
  if (end.kind === 'aborted') return await settleCancelled(work, made, end.reason)
  const { code, message, retryable, unknown_outcome, details } = end.error
  if (unknown_outcome) {
    const settle = { ...unknownSettlement(work, made.number, message), ...settledCharge(made.charge) }
    return await openGate(work, { ...unknownGate(work, settle), made })
  }
  if (retryable && made.number < work.step.retry.max_attempts) {
    const retry = await settleRetry(work, made, end.error)
    return retry ?? (await executeStep(work.deps, work.session, work.step))
  }
  return await failRun(work, { code, message, retryable, ...(details === undefined ? {} : { details }) }, made)
}

function reportedBy(end: OperatorEnd): Partial<Cost> | undefined {
  if (end.kind === 'done') return end.result.cost
  if (end.kind === 'unsent') return undefined
  return end.kind === 'failed' ? end.error.cost : end.cost
}

/** A step that had begun when its worker was lost, and cannot be prepared any more, must not read as if nothing had happened. */
function mayHaveActed(error: RunFailure, begun: StepRecord | undefined): RunFailure {
  if (begun?.state !== 'running') return error
  return { ...error, message: `${error.message}; the step had begun before, and its effect may have happened` }
}

/** The latest gate that asked about what the step does: who answers for the run is another question. */
function latestApproval(session: RunSession, step: PlanStep): GateRecord | undefined {
  return session.gates.filter(({ step_id, kind }) => step_id === step.id && kind !== 'standing_lost').at(-1)
}

/** Why a simulation lets nothing through. */
function unproven(simulation: Simulation | undefined): string[] {
  if (simulation === undefined || simulation.ok) return []
  return [simulation.not_tried ? 'not_simulated' : 'simulation_failed']
}

/** Asks whether an attempt that may have acted is made once more, and tells what broke and what to look at. */
function unknownGate({ deps }: StepWork, settle: StepSettlement) {
  const kind = 'outcome_unknown' as const
  const at = isoTime(deps.clock())
  const words = `attempt ${settle.attempt}, at ${at}: ${settle.message ?? ''}; it had begun, so it may have taken effect, or still run: look at the target first; to approve does it once more`
  return { kind, because: [kind], words, settle }
}

function unknownSettlement(work: StepWork, attempt: number, message: string) {
  return { ...stepKey(work), state: 'outcome_unknown' as const, attempt, message }
}
