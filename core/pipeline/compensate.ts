import { childOf } from './follow-runs.ts'
import { isOpen, notTakenBack } from './pipeline-facts.ts'
import type { ChildRecord, PipelineSnapshot } from './snapshot.ts'
import type { PipelineStep } from './types.ts'
import { type PipelineWork, recordOf } from './work.ts'

/** Starts the next compensation, the latest run first and one at a time; true while any is left or open. */
export function compensate(work: PipelineWork): boolean {
  const { at } = work
  const done = at.children.filter(({ role }) => role === 'compensation')
  if (done.some(isOpen)) return true
  const [next] = at.children
    .filter((child) => needsCompensation(work, child))
    .filter((child) => !done.some(({ step_id, index }) => step_id === child.step_id && index === child.index))
    .sort((a, b) => latestFirst(work, a, b))
  if (next === undefined) return false
  const { step_id, index } = next
  // the inputs come from the record of the compensated run when this one starts
  at.children.push(childOf(work, { step_id, index, role: 'compensation', inputs: {} }))
  return true
}

/** Steps that were to be taken back, and were not. */
export function stepsNotTakenBack({ children }: Pick<PipelineSnapshot, 'children'>): string[] {
  return [...new Set(notTakenBack(children).map(({ step_id }) => step_id))]
}

function needsCompensation(work: PipelineWork, child: ChildRecord): boolean {
  return child.role === 'run' && child.acted && compensationOf(stepOf(work, child.step_id)) !== undefined
}

function compensationOf(step: PipelineStep | undefined) {
  return step?.kind === 'run' ? step.compensate : undefined
}

function stepOf({ definition }: PipelineWork, id: string): PipelineStep | undefined {
  return definition.steps.find((step) => step.id === id)
}

function latestFirst(work: PipelineWork, a: ChildRecord, b: ChildRecord): number {
  const place = ({ step_id }: ChildRecord) => work.at.steps.indexOf(recordOf(work, step_id))
  return (b.ended_at_ms ?? 0) - (a.ended_at_ms ?? 0) || place(b) - place(a) || b.index - a.index
}
