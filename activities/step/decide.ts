import type { Simulation } from '#core/operator.ts'
import { LOCAL_STEP_MS } from '#core/plan/estimate-plan.ts'
import { denialOf } from '#core/policy/merge.ts'
import type { RunFailure } from '#core/run/run-transitions.ts'
import { skipped } from '#core/run/step-transitions.ts'
import type { StepRecord } from '#store/runs/run-answers.ts'
import { isStillGranted, missingApproval, planChanges } from './judge.ts'
import type { Unprepared } from './prepare.ts'
import { settleDelay, unknownOutcome } from './settle.ts'
import { simulateStep } from './simulate.ts'
import type { Conclusion, Decision, JudgedWork, StepWork } from './work.ts'

/** Decides about a step that comes to no operation. */
export function decideUnprepared({ step, of, record }: StepWork, prepared: Unprepared): Conclusion {
  if (prepared.kind === 'unknown') throw new Error(`step ${step.id} is no step of a dry run`)
  if (prepared.kind === 'skipped') return { kind: 'settle', settled: skipped(of) }
  return { kind: 'fail', failure: mayHaveActed(prepared.error, record) }
}

/** Decides about a judged step: refuse, check the grant of the environment, simulate, compare with what was approved. */
export async function decideStep(work: JudgedWork): Promise<Decision> {
  const { deps, session, step, judged, record } = work
  const { operator, input, verdict, gate } = judged
  const attempt = record?.attempt ?? 0
  if (record?.state === 'running' && operator.replay(input) === 'ask')
    return unknownOutcome(deps, { attempt, message: 'the worker was lost while the operator ran' })
  const denial = denialOf(verdict)
  if (denial !== undefined) return { kind: 'fail', failure: { ...denial, retryable: false } }
  if (session.local && verdict.dry_run) return { kind: 'end', end: { kind: 'yielded' } }
  if (!(await isStillGranted(deps, session))) return { kind: 'hold', refusal: { refused: 'grant_lost' } }
  const simulation = await simulateStep(work)
  if (simulation !== undefined && 'refused' in simulation) return { kind: 'hold', refusal: simulation }
  const because = [...gate.because, ...unproven(simulation)]
  const asks = because.length > 0 || gate.on
  // who answers for the run is another question than what the step does
  const ofStep = session.gates.filter(({ step_id, kind }) => step_id === step.id && kind !== 'standing_lost')
  const approval = asks ? ofStep.at(-1) : undefined
  const missing = asks ? missingApproval(judged, approval) : undefined
  if (missing !== undefined) {
    const shown = simulation && { simulation: { ...simulation } }
    const words = missing.includes('plan_changed') ? planChanges(judged, session.redactor, approval) : undefined
    return { kind: 'ask', cause: { kind: 'approval', because: [...missing, ...because], words, ...shown } }
  }
  if (operator.delay_ms !== undefined) return settleDelay(work, operator.delay_ms(input))
  // a local execution may be given up at any time: it begins only what is short, and harmless to begin again
  if (session.local && (step.timeout_ms > LOCAL_STEP_MS || operator.replay(input) === 'ask'))
    return { kind: 'end', end: { kind: 'yielded' } }
  return { kind: 'act', basis: { attempt: attempt + 1, simulation, approval } }
}

/** Why a simulation lets nothing through. */
export function unproven(simulation: Simulation | undefined): string[] {
  if (simulation === undefined || simulation.ok) return []
  return [simulation.not_tried ? 'not_simulated' : 'simulation_failed']
}

/** A step that had begun when its worker was lost, and cannot be prepared any more, must not read as if nothing had happened. */
function mayHaveActed(error: RunFailure, record: StepRecord | undefined): RunFailure {
  if (record?.state !== 'running') return error
  return { ...error, message: `${error.message}; the step had begun before, and its effect may have happened` }
}
