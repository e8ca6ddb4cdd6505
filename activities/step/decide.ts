import type { AdvanceOutcome } from '#core/contract.ts'
import type { Simulation } from '#core/operator.ts'
import { LOCAL_STEP_MS } from '#core/plan/estimate-plan.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { denialOf } from '#core/policy/merge.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import { type Settled, skipped } from '#core/run/step-transitions.ts'
import { isoTime } from '#core/time/time.ts'
import type { GateRecord, StepRecord } from '#store/runs/run-answers.ts'
import type { RunSession } from '../run/run-session.ts'
import type { HeldBack } from './hold-back.ts'
import { isStillGranted, judgeStep, missingApproval, planChanges } from './judge.ts'
import type { GateCause } from './open-gate.ts'
import type { AttemptBasis } from './open-step.ts'
import { prepareStep } from './prepare.ts'
import { simulateStep } from './simulate.ts'
import { factsOf, type JudgedWork, type StepWork } from './work.ts'

/** What is to become of a step now. */
export type Decision =
  /** another execution goes on with it */
  | { kind: 'yield' }
  /** its delay is not over */
  | (AdvanceOutcome & { kind: 'delayed' })
  | { kind: 'settle'; settled: Settled }
  | { kind: 'fail'; work: StepWork & Partial<JudgedWork>; failure: RunFailure }
  | { kind: 'hold'; work: JudgedWork; refusal: HeldBack }
  | { kind: 'ask'; work: JudgedWork; cause: GateCause }
  | { kind: 'delay'; work: JudgedWork; delay_ms: number }
  | { kind: 'act'; work: JudgedWork; basis: AttemptBasis }

/**
 * Decides what becomes of a step: render, judge by four authorities, refuse, ask whether the workspace may still use the environment,
 * simulate, compare with what was approved.
 */
export async function decideStep(asked: StepWork): Promise<Decision> {
  const { deps, session, step } = asked
  const begun = session.steps.get(step.id)
  const prepared = await prepareStep(asked)
  if (prepared.kind === 'unknown') throw new Error(`step ${step.id} is no step of a dry run`)
  if (prepared.kind === 'skipped') return { kind: 'settle', settled: skipped(factsOf(asked)) }
  if (prepared.kind === 'invalid') return { kind: 'fail', work: asked, failure: mayHaveActed(prepared.error, begun) }
  const { operator, input } = prepared.operation
  const judged = await judgeStep(asked, prepared.operation)
  const work: JudgedWork = { ...asked, judged }
  const { verdict, gate } = judged

  if (begun?.state === 'running' && operator.replay(input) === 'ask') {
    const lost = { attempt: begun.attempt, message: 'the worker was lost while the operator ran' }
    return { kind: 'ask', work, cause: unknownOutcome(work, lost) }
  }
  const denial = denialOf(verdict)
  if (denial !== undefined) return { kind: 'fail', work, failure: { ...denial, retryable: false } }
  if (session.local && verdict.dry_run) return { kind: 'yield' }
  if (!(await isStillGranted(deps, session))) return { kind: 'hold', work, refusal: { refused: 'grant_lost' } }
  const simulation = await simulateStep(work, begun)
  if (simulation !== undefined && 'refused' in simulation) return { kind: 'hold', work, refusal: simulation }
  const because = [...gate.because, ...unproven(simulation)]
  const asks = because.length > 0 || gate.on
  const approval = asks ? latestApproval(session, step) : undefined
  const missing = asks ? missingApproval(judged, approval) : undefined
  if (missing !== undefined) {
    const record = simulation && { simulation: { ...simulation } }
    const words = missing.includes('plan_changed') ? planChanges(judged, session.redactor, approval) : undefined
    return { kind: 'ask', work, cause: { kind: 'approval', because: [...missing, ...because], words, ...record } }
  }
  if (operator.delay_ms !== undefined) return { kind: 'delay', work, delay_ms: operator.delay_ms(input) }
  // a local execution may be given up at any time: it begins only what is short, and harmless to begin again
  if (session.local && (step.timeout_ms > LOCAL_STEP_MS || operator.replay(input) === 'ask')) return { kind: 'yield' }
  return { kind: 'act', work, basis: { attempt: (begun?.attempt ?? 0) + 1, simulation, approval } }
}

/** Asks whether an attempt that may have acted is made once more, and says what broke and what to look at. */
export function unknownOutcome({ deps }: StepWork, unknown: NonNullable<GateCause['unknown']>): GateCause {
  const kind = 'outcome_unknown'
  const at = isoTime(deps.clock())
  const words = `attempt ${unknown.attempt}, at ${at}: ${unknown.message}; it had begun, so it may have taken effect, or still run: look at the target first; approving it runs it again`
  return { kind, because: [kind], words, unknown }
}

/** Why a simulation lets nothing through. */
export function unproven(simulation: Simulation | undefined): string[] {
  if (simulation === undefined || simulation.ok) return []
  return [simulation.not_tried ? 'not_simulated' : 'simulation_failed']
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
