import { costOf } from '#core/budget/charge.ts'
import { runCapUsd } from '#core/environment/environment.ts'
import type { JsonObject } from '#core/json/json.ts'
import { type Cost, capFromUsd, type MicroUsd, totalCost, usdFromMicro } from '#core/money.ts'
import type { Simulation } from '#core/operator.ts'
import type { StepOpening } from '#core/run/patch.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import { stepKey } from '#core/run/step-records.ts'
import { isoTime } from '#core/time/time.ts'
import type { GateRecord, Refusal } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'
import { describeOperation, recordedTargets, shownInputs } from './describe.ts'
import { factsOf, type JudgedWork } from './work.ts'

/** What lets an attempt begin: its simulation and its approval, where it needs them. */
export interface AttemptBasis {
  attempt: number
  simulation: Simulation | undefined
  approval: GateRecord | undefined
}

/** What an attempt asks the record for before anything acts: its place, and what it may cost at most. */
export async function stepOpening(
  work: JudgedWork,
  { attempt, simulation }: AttemptBasis,
): Promise<{ open: StepOpening; reserved: Cost }> {
  const { deps, session, step, judged } = work
  const reserved = costOf(judged.operator.estimate?.(judged.input))
  const reserve = totalCost(reserved)
  const open = {
    ...stepKey(factsOf(work)),
    attempt,
    ...(session.steps.get(step.id)?.state === 'running' && { again: true }),
    plan_hash: judged.plan_hash,
    inputs: shownInputs(work),
    reserve_micro_usd: reserve,
    reserve_gpu_micro_usd: reserved.gpu,
    reserve_storage_micro_usd: reserved.storage,
    ask_standing: session.ask_standing,
    ...(simulation && { simulation: { ...simulation } }),
    ...(await capsOfNow(deps, session, reserve)),
  }
  return { open, reserved }
}

/** The attempt does not fit under a cap. */
export function overCap(
  { session, step }: JudgedWork,
  { reserve_micro_usd }: StepOpening,
  { scope, cap_micro_usd }: Extract<Refusal, { refused: 'budget' }>,
): RunFailure {
  const message = `the next operation may cost ${usdFromMicro(reserve_micro_usd)} USD, which does not fit under the ${scope}'s cap of ${usdFromMicro(cap_micro_usd)} USD`
  // why the step is at it again
  const { code, message: said } = session.steps.get(step.id)?.error ?? {}
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

/** What the chain says of an effect before it happens: which attempt it is, what it is aimed at, and which answers permit it. */
export function effectFacts(work: JudgedWork, { attempt, approval }: AttemptBasis): JsonObject {
  return {
    attempt,
    approved_by: approval?.id ?? null,
    vouched_by: vouching(work)?.id ?? null,
    ...(work.judged.is_read ? {} : { targets: recordedTargets(describeOperation(work)) }),
  }
}

/** The gate in which an owner answered for a requester who had lost the authority to start the run. Whether it still counts is decided in the database (`vouched_for`). */
function vouching({ session, step, judged }: JudgedWork): GateRecord | undefined {
  return session.gates.findLast(
    (gate) =>
      gate.kind === 'standing_lost' &&
      gate.status === 'approved' &&
      // such a gate also asks about a workspace that lost its environment, and no owner can answer for that
      gate.required.vouches_for !== undefined &&
      (gate.step_id !== step.id || gate.plan_hash === judged.plan_hash),
  )
}
