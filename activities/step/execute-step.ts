import { chargeOf } from '#core/budget/charge.ts'
import type { Cost } from '#core/money.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { StepOpening } from '#core/run/patch.ts'
import type { Attempt } from '#core/run/step-records.ts'
import { reopened } from '#core/run/step-transitions.ts'
import type { StepDeps } from '../deps.ts'
import { commit, commitOrStop, keep } from '../run/commit.ts'
import { failRun } from '../run/end-run.ts'
import { environmentOf, type RunSession } from '../run/run-session.ts'
import { inTime, type NotSent, openingAsker } from './ask-again.ts'
import { decideStep, decideUnprepared } from './decide.ts'
import { holdBack } from './hold-back.ts'
import { judgeStep } from './judge.ts'
import { openGate } from './open-gate.ts'
import { openAttempt, overCap } from './open-step.ts'
import { decideDryRun, predictUnprepared } from './predict.ts'
import { prepareStep } from './prepare.ts'
import { dispatchJob, followRemoteJob } from './remote-job.ts'
import { type OperatorEnd, runOperator } from './run-operator.ts'
import { abortableDelay, pendingDelay, settleAttempt, withArtifacts } from './settle.ts'
import {
  type AttemptBasis,
  type Conclusion,
  type Decision,
  type JudgedWork,
  judgedWork,
  type StepEnd,
  type StepWork,
  workOn,
} from './work.ts'

/**
 * The one place where anything acts: prepare, judge, decide, then park, or reserve and record durably, act once, keep the settlement.
 * Nothing below can be skipped by a template, an operator or a caller.
 */
export async function executeStep(deps: StepDeps, session: RunSession, step: PlanStep): Promise<StepEnd> {
  session.current = step.id
  // an attempt may take hours: the next one is judged and done by what is in force then
  session.environment = environmentOf(deps, session.head.environment)
  const { dry_run } = session.head
  const work = workOn(deps, session, step)
  const delay_ms = pendingDelay(work.record, deps.clock())
  if (delay_ms > 0) return { kind: 'delayed', delay_ms, reason: `step ${step.id}` }
  const remote = await followRemoteJob(work)
  if (remote !== undefined && remote.kind !== 'ask') return await conclude(work, remote)
  const prepared = await prepareStep(work)
  if (dry_run && session.local) return { kind: 'yielded' }
  if (prepared.kind !== 'ready')
    return await conclude(work, dry_run ? predictUnprepared(work, prepared) : decideUnprepared(work, prepared))
  const judged = judgedWork(work, await judgeStep(work, prepared.operation))
  let decision = remote ?? (await (dry_run ? decideDryRun : decideStep)(judged))
  for (;;) {
    if (decision.kind === 'act') decision = await act(judged, decision.basis)
    else if (decision.kind === 'hold') decision = holdBack(session, step.id, decision.refusal)
    else if (decision.kind === 'ask') decision = await openGate(judged, decision.cause)
    else return await conclude(judged, decision)
  }
}

/** Writes what was decided. */
async function conclude(work: StepWork & Partial<JudgedWork>, decision: Conclusion): Promise<StepEnd> {
  const { deps, session } = work
  switch (decision.kind) {
    case 'end':
      return decision.end
    case 'settle':
      return await keep(deps, session, decision.settled)
    case 'fail':
      return await failRun(work, decision.failure, decision.made)
    case 'write': {
      const stopped = await commitOrStop(deps, session, decision.transition)
      if (stopped !== undefined) return stopped
      if (decision.end.kind === 'parked') deps.fault('after_park')
      return decision.end
    }
    case 'retry': {
      const stopped = await commitOrStop(deps, session, decision.transition)
      if (stopped !== undefined) return stopped
      await abortableDelay(decision.delay_ms, session.signal)
      return session.signal.aborted ? { kind: 'stopped' } : await executeStep(deps, session, work.step)
    }
  }
}

/** Reserves, records, waits until the record is durable and acts. */
async function act(work: JudgedWork, basis: AttemptBasis): Promise<Decision> {
  const { deps, session } = work
  const { open, reserved, transition } = await openAttempt(work, basis)
  deps.fault('before_open', session.head.id)
  const asked_at = deps.monotonic()
  const recorded = await commit(deps, session, transition)
  if ('refused' in recorded)
    return recorded.refused === 'budget'
      ? { kind: 'fail', failure: overCap(work.record, open, recorded) }
      : { kind: 'hold', refusal: recorded }
  const ask = openingAsker(deps, session, open, asked_at)
  const durable = deps.audit.acknowledged(recorded.audit.map(({ outbox_id }) => outbox_id))
  const why = await inTime(
    deps,
    session,
    durable.then(ask, (error) => ({ error })),
  )
  if (why !== undefined) return await takeBack(work, open, why)

  deps.fault('before_operator', session.head.id)
  if (open.remote_job !== undefined) {
    const dispatched = await dispatchJob(work, open.remote_job)
    deps.fault('after_operator')
    return dispatched
  }
  const end = await runOperator(work, open.attempt, () => inTime(deps, session, ask()))
  const made: Attempt = { number: open.attempt, charge: chargeOf(heldBy(reserved, end), reportedBy(end)), log: end.log }
  if (end.kind === 'not_sent') return await takeBack(work, open, end.why, end.calls && { ...made, log: [] })
  deps.fault('after_operator')
  return await settleAttempt(work, made, await withArtifacts(work, end), basis.predicted)
}

/** What the attempt holds: what it was opened with, and what its calls of models cost. */
function heldBy(reserved: Cost, { calls }: OperatorEnd): Cost {
  return { ...reserved, llm: reserved.llm + (calls?.held ?? 0) }
}

function reportedBy(end: OperatorEnd): Partial<Cost> | undefined {
  if (end.calls !== undefined) return end.calls.reported ? { llm: end.calls.held } : undefined
  if (end.kind === 'done') return end.result.cost
  if (end.kind === 'not_sent') return undefined
  return end.kind === 'failed' ? end.error.cost : end.cost
}

/**
 * Gives back what an opening holds of which nothing was sent: the step may be opened again. So it may where a call of a model was made
 * before a further one was refused (`spent`), and that one stays charged.
 */
async function takeBack(
  { deps, session, of }: JudgedWork,
  open: StepOpening,
  why: NotSent,
  spent?: Attempt,
): Promise<Decision> {
  const giveBack = () => commitOrStop(deps, session, reopened(of, open, spent))
  if (typeof why === 'object' && 'error' in why) {
    // what stopped the step is told, also where the database is away and cannot take it back
    await giveBack().catch(() => undefined)
    throw why.error
  }
  const stopped = await giveBack()
  if (stopped !== undefined) return { kind: 'end', end: stopped }
  if (why === 'late') return { kind: 'end', end: { kind: 'yielded' } }
  if (why === 'aborted' || why.refused === 'fenced') return { kind: 'end', end: { kind: 'stopped' } }
  return { kind: 'hold', refusal: why }
}
