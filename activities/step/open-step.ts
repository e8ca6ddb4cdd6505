import { costOf } from '#core/budget/charge.ts'
import { runCapUsd } from '#core/environment/environment.ts'
import { type Cost, capFromUsd, type MicroUsd, totalCost, usdFromMicro } from '#core/money.ts'
import type { StepOpening, Transition } from '#core/run/patch.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import { opened } from '#core/run/step-transitions.ts'
import { isoTime } from '#core/time/time.ts'
import type { GateRecord, Refusal, StepRecord } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { profileOf, type RunSession } from '../run/run-session.ts'
import { describeOperation, recordedTargets, shownInputs } from './describe.ts'
import { openRemoteJob, recordedJob } from './remote-job.ts'
import type { AttemptBasis, JudgedWork } from './work.ts'

/** What an attempt asks the record for before anything acts: its place, what it may cost at most, and what permits it. */
export async function openAttempt(
  work: JudgedWork,
  { attempt, simulation, approval }: AttemptBasis,
): Promise<{ open: StepOpening; reserved: Cost; transition: Transition }> {
  const { deps, session, step, judged, of, record } = work
  const { plan_hash } = judged
  const reserved = costOf(judged.operator.estimate?.(judged.input))
  const reserve = totalCost(reserved)
  const remote_job = openRemoteJob(work, { attempt, plan_hash })
  const open = {
    ...of.key,
    attempt,
    plan_hash,
    ...(record?.state === 'running' && { again: true }),
    inputs: shownInputs(deps, judged),
    reserve_micro_usd: reserve,
    reserve_gpu_micro_usd: reserved.gpu,
    reserve_storage_micro_usd: reserved.storage,
    ask_standing: asksStanding(work),
    ...(simulation && { simulation: { ...simulation } }),
    ...(await capsOfNow(deps, session, reserve)),
    ...(remote_job && { remote_job }),
  }
  const override = session.gates.findLast(
    (gate) => isOverride(gate) && (gate.step_id !== step.id || gate.plan_hash === plan_hash),
  )
  const effect = {
    attempt,
    approved_by: approval?.id ?? null,
    vouched_by: override?.id ?? null,
    ...(remote_job && { remote_job: recordedJob(remote_job) }),
    ...(judged.is_read ? {} : { targets: recordedTargets(describeOperation(session.redactor, judged)) }),
  }
  return { open, reserved, transition: opened(of, judged, { open, effect }) }
}

/** A revocation does not depend on its requester's authority: otherwise who has left would keep the role. */
export function asksStanding({ session, judged }: JudgedWork): boolean {
  return session.ask_standing && judged.operator.action_type !== 'access.revoke'
}

/** An owner answered for a requester who lost the right to start the run. The database decides if that still counts (`vouched_for`). */
function isOverride({ kind, status, required }: GateRecord): boolean {
  // such a gate also asks about a workspace that lost its environment, and no owner can answer for that
  return kind === 'standing_lost' && status === 'approved' && required.vouches_for !== undefined
}

/** The attempt does not fit under a cap. */
export function overCap(
  record: StepRecord | undefined,
  { reserve_micro_usd }: StepOpening,
  { scope, cap_micro_usd }: Extract<Refusal, { refused: 'budget' }>,
): RunFailure {
  const message = `the next operation may cost ${usdFromMicro(reserve_micro_usd)} USD, which does not fit under the ${scope}'s cap of ${usdFromMicro(cap_micro_usd)} USD`
  // why the step is at it again
  const { code, message: said } = record?.error ?? {}
  const details = code === undefined || said === undefined ? {} : { details: { last_failure: { code, message: said } } }
  return { code: 'BudgetExceeded', message, retryable: false, ...details }
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
  const run_cap_micro_usd = capFromUsd(runCapUsd(session.environment, profileOf(deps, session.head.profile)))
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
