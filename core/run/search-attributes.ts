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
