import type { ChildRecord, PipelineSnapshot } from './snapshot.ts'
import type { RunStep } from './types.ts'

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
