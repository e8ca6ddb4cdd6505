/** What an API key can be good for. Each names some operations and implies none of the others. */
export const KEY_SCOPES = [
  'runs:read',
  'runs:start',
  'models:call',
  'ask:query',
  'approvals:on_behalf',
  'admin',
] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What an operation asks of a key: one scope, nothing but that it is good, or a person instead. */
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
  'runPipeline',
  'advancePipelineStep',
  'cancelPipeline',
])
/** They make credentials, end sessions or are about oneself: with them a key could outlive itself, or become more than it is. */
const PERSONS = new Set([
  'createApiKey',
  'inviteUser',
  'setPassword',
  'issueToken',
  'updateMe',
  'logOut',
  'openSession',
  'closeSession',
])
/** They say who one is. */
const ANYBODYS = new Set(['getMe', 'getAuthStatus'])

/** They ask models, or which ones there are. */
const MODELS = new Set(['createChatCompletion', 'listModels', 'probeModel'])

/** They read in the name of the caller and spend on models: a key that may only read, or only call models, may do neither with them. */
const ASKS = new Set(['askQuestion', 'getAskThread', 'resolvePlan'])

const READS = new Set(['read', 'stream', 'download'])

/** What an operation asks of a key. One that nobody has thought of takes `admin` when it writes. */
export function keyNeedOf({ operationId, access, auth }: Operation): KeyNeed {
  if (PERSONS.has(operationId)) return 'never'
  if (ANYBODYS.has(operationId)) return 'any'
  if (MODELS.has(operationId)) return 'models:call'
  if (ASKS.has(operationId)) return 'ask:query'
  if (READS.has(access)) return auth === 'admin' || auth === 'owner' ? 'admin' : 'runs:read'
  if (STARTS.has(operationId)) return 'runs:start'
  return auth === 'approver' ? 'approvals:on_behalf' : 'admin'
}
