import { DomainError } from '#core/errors.ts'
import type { Decision } from '#core/gate/types.ts'
import type { PipelineRunView } from '#store/pipeline-views.ts'
import { type DecidedGate, decideGate } from '../approvals/decide-gate.ts'
import type { DecisionContext } from '../context.ts'
import { stepOf } from './advance-pipeline-step.ts'
import type { PipelinePorts } from './ports.ts'

export interface StepDecision {
  pipeline_id: string
  step: string
  decision: Decision
  note?: string
  /** which of several gates of the step */
  gate_id?: string
  plan_hash?: string
  approver?: string
}

/**
 * Answers the gate at which a run of the step waits, by all the rules of gates. `run_not_awaiting`: none does; `conflict`: several do, and
 * the answer names none of them.
 */
export async function approvePipelineStep(
  ctx: DecisionContext & PipelinePorts,
  { pipeline_id, step: name, decision, ...answer }: StepDecision,
): Promise<DecidedGate> {
  const { step, record } = await stepOf(ctx, pipeline_id, name)
  const open = record.runs.filter(({ gate_id }) => gate_id !== null)
  const asked = answer.gate_id === undefined ? open : open.filter(({ gate_id }) => gate_id === answer.gate_id)
  const [only, ...others] = record.runs
  // one run speaks for itself: whether its gate was answered before, or never opened
  const [run] = asked.length === 0 && others.length === 0 && only !== undefined && hasBegun(only) ? [only] : asked
  if (run === undefined) {
    if (record.state === 'ready')
      throw new DomainError('conflict', `the step ${step.id} is waiting to be advanced, which is not an approval`)
    throw new DomainError(
      'run_not_awaiting',
      `no run of the step ${step.id} is waiting for an approval; the step is ${record.state}`,
      {
        pipeline_id,
      },
    )
  }
  if (asked.length > 1) {
    const gates = asked.map(({ gate_id, run_id, index }) => ({ gate_id, run_id, index }))
    throw new DomainError(
      'conflict',
      `${asked.length} runs of the step ${step.id} are waiting: name one of their gates`,
      {
        gates,
      },
    )
  }
  const gate_id = answer.gate_id ?? run.gate_id ?? undefined
  const named = gate_id === undefined ? {} : { gate_id }
  return await decideGate(ctx, { ...answer, kind: decision, run_id: run.run_id, ...named })
}

function hasBegun({ status }: PipelineRunView): boolean {
  return status !== 'starting' && status !== 'refused'
}
