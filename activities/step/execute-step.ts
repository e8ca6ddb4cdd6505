import { chargeOf } from '#core/budget/charge.ts'
import type { Cost } from '#core/money.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { StepOpening } from '#core/run/patch.ts'
import type { Attempt } from '#core/run/step-records.ts'
import { opened, unsent } from '#core/run/step-transitions.ts'
import type { StepDeps } from '../deps.ts'
import { commit, keep, stoppedBy } from '../run/commit.ts'
import { failRun, yieldRun } from '../run/end-run.ts'
import { environmentOf, type RunSession } from '../run/run-session.ts'
import { inTime, openingAsker, type Unsent } from './ask-again.ts'
import { decideStep, unknownOutcome } from './decide.ts'
import { holdBack } from './hold-back.ts'
import { openGate } from './open-gate.ts'
import { type AttemptBasis, effectFacts, overCap, stepOpening } from './open-step.ts'
import { decideDryRun } from './predict.ts'
import { type OperatorEnd, runOperator } from './run-operator.ts'
import { pendingDelay, settleCancelled, settleDelay, settleFailedRead, settleRetry, settleSucceeded } from './settle.ts'
import { factsOf, type JudgedWork, type StepEnd } from './work.ts'

/**
 * The one place where anything acts: decide, then park, or reserve and record durably, act once, keep the settlement. Nothing below can
 * be skipped by a template, an operator or a caller.
 */
export async function executeStep(deps: StepDeps, session: RunSession, step: PlanStep): Promise<StepEnd> {
  const asked = { deps, session, step }
  session.current = step.id
  // an attempt may take hours: the next one is judged and done by what is in force then
  session.environment = environmentOf(deps, session.head.environment)
  const decide = session.head.dry_run ? decideDryRun : decideStep
  const decision = pendingDelay(asked) ?? (await decide(asked))
  switch (decision.kind) {
    case 'yield':
      return await yieldRun(deps, session)
    case 'delayed':
      return decision
    case 'settle':
      return await keep(deps, session, decision.settled)
    case 'fail':
      return await failRun(decision.work, decision.failure)
    case 'hold':
      return await holdBack(decision.work, decision.refusal)
    case 'ask':
      return await openGate(decision.work, decision.cause)
    case 'delay':
      return await settleDelay(decision.work, decision.delay_ms)
    case 'act':
      return await act(decision.work, decision.basis)
  }
}

/** Reserve, record, wait until the record is durable, act, keep the settlement. */
async function act(work: JudgedWork, basis: AttemptBasis): Promise<StepEnd> {
  const { deps, session } = work
  const { open, reserved } = await stepOpening(work, basis)
  deps.fault('before_open', session.head.id)
  const asked_at = deps.monotonic()
  const effect = effectFacts(work, basis)
  const recorded = await commit(deps, session, opened(factsOf(work), work.judged, { open, effect }))
  if ('refused' in recorded)
    return recorded.refused === 'budget'
      ? await failRun(work, overCap(work, open, recorded))
      : await holdBack(work, recorded)
  const ask = openingAsker(work, open, asked_at)
  const durable = deps.audit.acknowledged(recorded.audit.map(({ outbox_id }) => outbox_id))
  const why = await inTime(
    work,
    durable.then(ask, (error) => ({ error })),
  )
  if (why !== undefined) return await takeBack(work, open, why)

  deps.fault('before_operator', session.head.id)
  const end = await runOperator(work, open.attempt, () => inTime(work, ask()))
  const made: Attempt = { number: open.attempt, charge: chargeOf(heldBy(reserved, end), reportedBy(end)), log: end.log }
  if (end.kind === 'unsent') return await takeBack(work, open, end.why, end.calls && { ...made, log: [] })
  deps.fault('after_operator')
  return await settleEnd(work, made, end)
}

/** What the attempt holds: what it was opened with, and what its calls of models cost. */
function heldBy(reserved: Cost, { calls }: OperatorEnd): Cost {
  return { ...reserved, llm: reserved.llm + (calls?.held ?? 0) }
}

function reportedBy(end: OperatorEnd): Partial<Cost> | undefined {
  if (end.calls !== undefined) return end.calls.reported ? { llm: end.calls.held } : undefined
  if (end.kind === 'done') return end.result.cost
  if (end.kind === 'unsent') return undefined
  return end.kind === 'failed' ? end.error.cost : end.cost
}

/**
 * Gives back what an opening holds of which nothing was sent: the step may be opened again. So it may where a call of a model was made
 * before a further one was refused (`spent`), and that one stays charged.
 */
async function takeBack(work: JudgedWork, open: StepOpening, why: Unsent, spent?: Attempt): Promise<StepEnd> {
  const giveBack = () => commit(work.deps, work.session, unsent(factsOf(work), open, spent))
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

/** What becomes of the step, and of the run, by how its operator ended. */
async function settleEnd(
  work: JudgedWork,
  made: Attempt,
  end: Exclude<OperatorEnd, { kind: 'unsent' }>,
): Promise<StepEnd> {
  if (end.kind === 'done') return await settleSucceeded(work, made, end.result)
  if (work.predicted !== undefined && end.kind === 'failed') return await settleFailedRead(work, made, end.error)
  if (end.kind === 'aborted') return await settleCancelled(work, made, end.reason)
  const { code, message, retryable, unknown_outcome, details } = end.error
  const attempt = made.number
  if (unknown_outcome) return await openGate(work, unknownOutcome(work, { attempt, message, made }))
  if (retryable && attempt < work.step.retry.max_attempts)
    return (await settleRetry(work, made, end.error)) ?? (await executeStep(work.deps, work.session, work.step))
  return await failRun(work, { code, message, retryable, ...(details && { details }) }, made)
}
