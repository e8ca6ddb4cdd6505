import { DomainError } from '#core/errors.ts'
import type { Decision } from '#core/gate/types.ts'
import type { PipelineStep } from '#core/pipeline/types.ts'
import type { PipelineRunView, PipelineStepView } from '#store/pipelines/pipeline-views.ts'
import { decideGate } from '../approvals/decide-gate.ts'
import { type DecidedGate, decidedBefore } from '../approvals/gate-decision.ts'
import type { DecisionContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { stepOf } from './advance-pipeline-step.ts'
import type { PipelinePorts } from './ports.ts'

export interface StepDecision {
  pipeline_id: string
  step: string
  decision: Decision
  note?: string
  /** the gate of the step */
  gate_id?: string
  plan_hash?: string
  approver?: string
}

/**
 * Answers the gate of a step's run, by all the rules of gates. Without a gate id it means the first gate of the step's only run: a repeat
 * after a lost reply cannot answer a later gate by mistake. `run_not_awaiting`: no gate is open; `conflict`: the gate has to be named.
 */
export const approvePipelineStep = defineVerb(
  { role: 'approver', access: 'write', scope: 'workspace' },
  async (
    ctx: DecisionContext & PipelinePorts,
    { pipeline_id, step: name, decision, ...answer }: StepDecision,
  ): Promise<DecidedGate> => {
    const { step, record } = await stepOf(ctx, pipeline_id, name)
    const before = answer.gate_id && (await decidedBefore(ctx, { gate_id: answer.gate_id }, decision))
    if (before) return before
    const open = record.runs.filter(({ gate_id }) => gate_id !== null)
    const only = onlyRun(record)
    const gate_id = answer.gate_id ?? (await unnamedGate(ctx, step, only, open))
    // a single run reports its own state: whether its gate was answered before, or never opened
    const run = open.find((each) => each.gate_id === gate_id) ?? (gate_id === undefined ? undefined : only)
    if (gate_id !== undefined && run !== undefined)
      return await decideGate(ctx, { ...answer, gate_id, kind: decision, run_id: run.run_id })
    if (answer.gate_id !== undefined && open.length > 0) throw otherGates(step, open, `${answer.gate_id} is not open`)
    if (record.state === 'ready')
      throw new DomainError('conflict', `the step ${step.id} is waiting to be advanced, which is not an approval`)
    throw new DomainError(
      'run_not_awaiting',
      `no run of the step ${step.id} is waiting for an approval; the step is ${record.state}`,
      { pipeline_id },
    )
  },
)

/** The gate that is meant where none is named; undefined where none was ever opened. Throws `conflict` where another one waits. */
async function unnamedGate(
  { pipelines, workspace_id }: { workspace_id: string } & PipelinePorts,
  step: PipelineStep,
  only: PipelineRunView | undefined,
  open: readonly PipelineRunView[],
): Promise<string | undefined> {
  const isForOne = step.kind === 'run' && step.for_each === undefined
  const first = isForOne && only !== undefined ? await pipelines.views.firstGate(workspace_id, only.run_id) : undefined
  if (open.every(({ gate_id }) => gate_id === first)) return first
  throw otherGates(step, open, 'an answer has to name the gate (gate_id)')
}

function otherGates({ id }: PipelineStep, open: readonly PipelineRunView[], problem: string): DomainError {
  const gates = open.map(({ gate_id, run_id, index, role }) => ({ gate_id, run_id, index, role }))
  const names = gates.map(
    ({ gate_id, index, role }) => `${gate_id} (${role === 'run' ? 'entry' : 'takes back'} [${index}])`,
  )
  return new DomainError('conflict', `${problem}; open gates of the step ${id}: ${names.join(', ')}`, { gates })
}

/** The run of a step that has exactly one. */
function onlyRun({ runs: [only, ...others] }: PipelineStepView): PipelineRunView | undefined {
  const hasBegun = only !== undefined && only.status !== 'starting' && only.status !== 'refused'
  return hasBegun && others.length === 0 ? only : undefined
}
