/** Scopes of API keys. Each covers some operations and implies none of the others. */
export const KEY_SCOPES = [
  'runs:read',
  'runs:start',
  'models:call',
  'ask:query',
  'approvals:on_behalf',
  'admin',
] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What an operation requires of a key: one scope, any valid key, or a person instead. */
export type KeyNeed = KeyScope | 'any' | 'never'

interface Operation {
  operationId: string
  access: string
  auth: string
}

/** They begin runs, or end them. */
const STARTS = new Set([
  'runTemplate',
  'startManually',
  'receiveAlerts',
  'receivePattern',
  'cancelRun',
  'startAgain',
  'retryRun',
  'runPipeline',
  'advancePipelineStep',
  'cancelPipeline',
])
/** They make credentials, end sessions or concern the caller: a key could outlive itself, or gain rights. */
const PERSONS = new Set([
  'createApiKey',
  'inviteUser',
  'setPassword',
  'issueToken',
  'updateMe',
  'logOut',
  'openSession',
  'closeSession',
  'saveView',
  'deleteView',
])
/** Operations about the caller's own identity. */
const ANYBODYS = new Set(['getMe', 'getAuthStatus'])

/** Operations that call models, or list them. */
const MODELS = new Set(['createChatCompletion', 'listModels', 'probeModel'])

/** They read in the name of the caller and spend on models: a key that may only read, or only call models, may do neither with them. */
const ASKS = new Set(['askQuestion', 'getAskThread', 'resolvePlan'])

/** They stop work: the right to answer gates for people is no right to that. */
const STOPS = new Set(['setHalt'])

const READS = new Set(['read', 'stream', 'download'])

/** Returns what an operation requires of a key. A write that is not listed requires `admin`. */
export function keyNeedOf({ operationId, access, auth }: Operation): KeyNeed {
  if (PERSONS.has(operationId)) return 'never'
  if (ANYBODYS.has(operationId)) return 'any'
  if (MODELS.has(operationId)) return 'models:call'
  if (ASKS.has(operationId)) return 'ask:query'
  if (READS.has(access)) return auth === 'admin' || auth === 'owner' ? 'admin' : 'runs:read'
  if (STARTS.has(operationId)) return 'runs:start'
  return auth === 'approver' && !STOPS.has(operationId) ? 'approvals:on_behalf' : 'admin'
}
