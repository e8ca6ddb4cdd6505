import type { JsonObject } from '../json/json.ts'
import type { Plan } from '../plan/types.ts'
import { isTerminal } from '../run/status.ts'
import type { ChildRecord, PipelineSnapshot } from './snapshot.ts'
import type { RunStep } from './types.ts'

/** The facts about a template that a pipeline needs. */
export interface PipelineTemplate {
  inputs_schema: JsonObject
  /** expressions by the names of the outputs */
  outputs: JsonObject
  plan: Pick<Plan, 'digest'>
}

/** Templates by `pack/template`; undefined for one that cannot be loaded. */
export type PipelineTemplates = ReadonlyMap<string, PipelineTemplate | undefined>

export interface PipelineFacts {
  templates: PipelineTemplates
  /** `sha256:` over the files of the bundle */
  bundle_digest: string
}

type HasStatus = Pick<ChildRecord, 'status'>

/** Tells whether a run has not ended. */
export function isOpen({ status }: HasStatus): boolean {
  return status === 'starting' || (status !== 'refused' && !isTerminal(status))
}

/** Tells whether a run has ended without success. */
export function hasFailed(child: HasStatus): boolean {
  return child.status !== 'succeeded' && !isOpen(child)
}

/** Returns failed and missing compensations, whose effects remain. */
export function notTakenBack<Child extends HasStatus & Pick<ChildRecord, 'role'>>(children: readonly Child[]): Child[] {
  return children.filter((child) => child.role === 'compensation' && hasFailed(child))
}

/** Returns the reason of a run for people: that of its pipeline, or for a compensation the run that it compensates, and why. */
export function reasonOfRun(
  { reason, closing }: Pick<PipelineSnapshot, 'reason' | 'closing'>,
  { id, for_each }: Pick<RunStep, 'id' | 'for_each'>,
  { role, index }: Pick<ChildRecord, 'role' | 'index'>,
): string | null {
  if (role === 'run') return reason
  const which = for_each === undefined ? id : `${id} [${index}]`
  const cause = closing?.error === undefined || closing.error === null ? '' : `: ${closing.error.message}`
  const because = closing === null ? '' : `, because the pipeline is ${closing.as}${cause}`
  return `takes back the step ${which}${because}${reason === null ? '' : `. The pipeline was started because: ${reason}`}`
}
