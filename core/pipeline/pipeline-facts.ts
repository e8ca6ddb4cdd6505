import type { JsonObject } from '../json/json.ts'
import type { Plan } from '../plan/types.ts'
import { isTerminal } from '../run/status.ts'
import type { ChildRecord, PipelineSnapshot } from './snapshot.ts'
import type { RunStep } from './types.ts'

/** What a pipeline needs to know of a template that it runs. */
export interface PipelineTemplate {
  inputs_schema: JsonObject
  /** expressions by the names of the outputs */
  outputs: JsonObject
  plan: Pick<Plan, 'digest'>
}

/** By `pack/template`; undefined where a template is there and cannot be loaded. */
export type PipelineTemplates = ReadonlyMap<string, PipelineTemplate | undefined>

export interface PipelineFacts {
  templates: PipelineTemplates
  /** `sha256:` over the files of the bundle */
  bundle_digest: string
}

type HasStatus = Pick<ChildRecord, 'status'>

/** Whether a run may still come to something. */
export function isOpen({ status }: HasStatus): boolean {
  return status === 'starting' || (status !== 'refused' && !isTerminal(status))
}

/** Whether a run has ended, and not well. */
export function hasGoneWrong(child: HasStatus): boolean {
  return child.status !== 'succeeded' && !isOpen(child)
}

/** Compensations that did not succeed: what was to be taken back is still there. */
export function notTakenBack<Child extends HasStatus & Pick<ChildRecord, 'role'>>(children: readonly Child[]): Child[] {
  return children.filter((child) => child.role === 'compensation' && hasGoneWrong(child))
}

/** Why a run is asked for, as people are told: for the reason of its pipeline, or of a compensation what it takes back and because of what. */
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
