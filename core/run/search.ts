/** What operations filter runs by in Temporal, all of them keywords. The run's id is the workflow's id, and the name `RunId` is Temporal's own. */
const keyword = <Name extends string>(name: Name) => ({ name, type: 'KEYWORD' }) as const

export const WORKSPACE_ID = keyword('WorkspaceId')
export const TEMPLATE_ID = keyword('TemplateId')
export const ENVIRONMENT = keyword('Environment')
export const LANE = keyword('Lane')
/** Where Temporal's own status does not say it: `awaiting_approval`, `rejected`, `expired`. */
export const RUN_STATUS = keyword('RunStatus')
/** The gate that a run waits at. */
export const AWAITING_GATE = keyword('AwaitingGate')

export const SEARCH_ATTRIBUTES = [WORKSPACE_ID, TEMPLATE_ID, ENVIRONMENT, LANE, RUN_STATUS, AWAITING_GATE].map(
  ({ name }) => name,
)

/** What starts runs, as `provenance.trigger.type` names it. */
export const TRIGGER_TYPES = [
  'alert',
  'pattern',
  'manual',
  'schedule',
  'ingress',
  'pipeline',
  'bus',
  'direct',
  'ask',
  'replay',
  'again',
  'retry',
] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** A search among the runs of a workspace; every member narrows it. */
export interface RunCriteria {
  pack?: string | undefined
  template?: string | undefined
  environment?: string | undefined
  trigger?: TriggerType | undefined
  /** id of the pipeline that started them */
  pipeline?: string | undefined
  /** a label by its name, and by its value where one is given */
  label?: { name: string; value?: string | undefined } | undefined
  /** text in the id, the template, the reason, the fingerprint, the environment or the requester, case-insensitive; or the id of a gate */
  q?: string | undefined
  since?: string | undefined
  until?: string | undefined
}
