import { EVENT_MEMBERS } from '../bus/cloud-event.ts'
import type { JsonObject } from '../json/json.ts'
import { type NamesInScope, templateVariables } from '../plan/check-references.ts'
import type { PipelineSpec, StepSpec } from './bundle-file-schema.ts'
import type { PipelineTemplates } from './pipeline-facts.ts'

const PIPELINE_MEMBERS: ReadonlySet<string> = new Set(['id', 'workspace_id', 'environment', 'name', 'reason'])

/** Returns the names that expressions of a pipeline may use; `inputs` undefined: its inputs are unknown. */
export function namesOfSteps(
  { steps }: PipelineSpec,
  inputs: JsonObject | undefined,
  templates: PipelineTemplates,
): { of(ended: ReadonlySet<string>): NamesInScope } {
  const variables = new Map<string, ReadonlySet<string> | undefined>([
    ['inputs', templateVariables(inputs).get('inputs')],
    ['steps', undefined],
    ['pipeline', PIPELINE_MEMBERS],
  ])
  const ids = steps.map(({ id }) => id)
  const outputs = new Map(
    steps.flatMap((step) => {
      const fields = outputsOf(step, templates)
      return fields === undefined ? [] : [[step.id, fields] as const]
    }),
  )
  return {
    of: (ended) => ({
      variables,
      settled: ended,
      later: new Set(ids.filter((id) => !ended.has(id))),
      laterFault: (id) =>
        `step ${id} may not have ended by then: add it to the needs of this step, or of a step that this one needs`,
      outputs,
    }),
  }
}

/** The same with variables that are only known in one place. */
export function withVariables(
  names: NamesInScope,
  more: Record<string, ReadonlySet<string> | undefined>,
): NamesInScope {
  return { ...names, variables: new Map([...names.variables, ...Object.entries(more)]) }
}

/** In the runs of a `for_each`. */
export const ITEM_VARIABLES = { item: undefined, index: undefined }
/** In `matches`. */
export const EVENT_VARIABLES = { event: EVENT_MEMBERS }

/** Undefined where they are not known. */
function outputsOf({ uses, for_each, schedule, on }: StepSpec, templates: PipelineTemplates): Set<string> | undefined {
  if (for_each !== undefined) return new Set(['items'])
  if (uses !== undefined) {
    const template = templates.get(uses)
    return template === undefined ? undefined : new Set(Object.keys(template.outputs))
  }
  if (schedule !== undefined) return new Set(['fired_at'])
  return on === undefined ? undefined : new Set(['event'])
}
