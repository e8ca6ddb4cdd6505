import { routes } from '#api/registry.ts'
import { type DescribedOperation, describedOperation, describedSchema, neededQuery } from './api-document.ts'
import type { GuardWorld } from './guard-world.ts'
import { failTestRun } from './test-runs.ts'

/** A request that an operation answers as it should. */
export interface ExampleRequest {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** sent as a form */
  form?: Record<string, string>
  headers?: Record<string, string>
}

export interface Example {
  /** what it is answered with */
  status: number
  /** made again for every call: some of them use up what they name */
  request(world: GuardWorld): ExampleRequest | Promise<ExampleRequest>
}

const policyOf = (name: string) => ({ name, rules: [{ effect: 'require_hitl', reason: 'a person decides' }] })
const ruleOf = (name: string) => ({ name, on: 'alert', match: { service: name }, run: 'incident/service-recovery' })
const OF_TEMPLATE = { pack: 'incident', tpl: 'service-recovery' }
const TEMPLATE = { pack: 'incident', template: 'service-recovery' }

/** What `{id}` names below a path: one that every world has, or makes. */
const ONE_OF: Record<string, (world: GuardWorld) => string | Promise<string>> = {
  '/runs': ({ run }) => run,
  '/admin/api-keys': (world) => world.apiKey(),
  '/pipelines': (world) => world.pipeline(),
  '/triggers/scheduled': (world) => world.schedule(),
  '/workspaces': (world) => world.workspace(),
  '/console/api/config-presets': (world) => world.preset('config'),
  '/console/api/input-presets': (world) => world.preset('input'),
  '/console/api/halts': (world) => world.halt(),
  '/console/api/remote-jobs': async (world) => (await world.remoteJob()).id,
  '/ui/api/connections': (world) => world.connection(),
  '/ui/api/knowledge': (world) => world.corpus(),
}

/** The operations whose example does not follow from their description. */
const EXAMPLES: Record<string, Example> = {
  getDocsAsset: { status: 200, request: () => ({ params: { asset: 'start.js' } }) },
  getProblem: { status: 200, request: () => ({ params: { code: 'not_found' } }) },
  issueToken: { status: 200, request: (world) => ({ form: world.credentials }) },
  openSession: {
    status: 200,
    request: ({ credentials: { username: email = '', password = '' } }) => ({ body: { email, password } }),
  },
  closeSession: { status: 204, request: async (world) => ({ headers: await world.freshOwner() }) },
  getConsole: { status: 503, request: () => ({}) },
  getConsoleFile: { status: 503, request: () => ({}) },
  askQuestion: { status: 200, request: () => ({ body: { query: 'what runs?' } }) },
  resolvePlan: { status: 200, request: () => ({ body: { query: 'restart the checkout' } }) },
  getAskThread: { status: 200, request: () => ({ params: { id: 'thr_7zzzzzzzzzzzzzzzzzzzzzzzzz' } }) },
  answerMcp: { status: 200, request: () => ({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } }) },
  updateMe: { status: 200, request: () => ({ body: { display_name: 'Somebody' } }) },
  addAnsweringAccount: {
    status: 200,
    request: async (world) => ({ params: { id: await world.answeringAccount() } }),
  },
  removeAnsweringAccount: {
    status: 200,
    request: async (world) => ({ params: { id: await world.answeringAccount() } }),
  },
  logOut: { status: 204, request: async (world) => ({ headers: await world.freshOwner() }) },
  inviteUser: {
    status: 201,
    request: (world) => ({
      body: { email: `${world.name('guest')}@example.test`, roles: ['viewer'], workspaces: [world.other] },
    }),
  },
  updateUser: {
    status: 200,
    request: async (world) => ({ params: { id: await world.user() }, body: { roles: ['approver'] } }),
  },
  setPassword: {
    status: 204,
    request: async (world) => ({ params: { id: await world.user() }, body: { password: 'another long password' } }),
  },
  createApiKey: {
    status: 201,
    request: async (world) => ({ body: { name: world.name('key'), account: await world.serviceAccount() } }),
  },
  deleteView: {
    status: 204,
    request: async (world) => ({ query: await world.view() }),
  },
  setHalt: { status: 201, request: () => ({ body: { scope: { environment: 'production' }, reason: 'a drill' } }) },
  testChannel: { status: 200, request: () => ({ params: { name: 'ops-hook' } }) },
  putWorkflowConfig: {
    status: 200,
    request: () => ({ params: OF_TEMPLATE, body: { values: { inputs: { action: 'restart' } } } }),
  },
  listConfigPresets: { status: 200, request: () => ({ query: { pack: TEMPLATE.pack } }) },
  createConfigPreset: {
    status: 201,
    request: (world) => ({ body: { ...TEMPLATE, name: world.name('preset'), values: { inputs: { url: 'x' } } } }),
  },
  updateConfigPreset: {
    status: 200,
    request: async (world) => ({ params: { id: await world.preset('config') }, body: { name: world.name('renamed') } }),
  },
  listInputPresets: { status: 200, request: () => ({ query: { pack: TEMPLATE.pack } }) },
  createInputPreset: {
    status: 201,
    request: (world) => ({ body: { ...TEMPLATE, name: world.name('preset'), values: { inputs: { url: 'x' } } } }),
  },
  updateInputPreset: {
    status: 200,
    request: async (world) => ({ params: { id: await world.preset('input') }, body: { name: world.name('renamed') } }),
  },
  createConsolePolicy: { status: 201, request: (world) => ({ body: policyOf(world.name('policy')) }) },
  getConsolePolicy: { status: 200, request: async (world) => ({ params: { name: await world.policy() } }) },
  updateConsolePolicy: {
    status: 200,
    request: async (world) => {
      const name = await world.policy()
      return { params: { name }, body: policyOf(name) }
    },
  },
  deleteConsolePolicy: { status: 200, request: async (world) => ({ params: { name: await world.policy() } }) },
  createConsoleTrigger: { status: 201, request: (world) => ({ body: ruleOf(world.name('rule')) }) },
  getConsoleTrigger: { status: 200, request: async (world) => ({ params: { name: await world.rule() } }) },
  updateConsoleTrigger: {
    status: 200,
    request: async (world) => {
      const name = await world.rule()
      return { params: { name }, body: ruleOf(name) }
    },
  },
  deleteConsoleTrigger: { status: 204, request: async (world) => ({ params: { name: await world.rule() } }) },
  createConnection: {
    status: 201,
    request: (world) => ({
      body: {
        ...{ name: world.name('connection'), kind: 'http', secret: 'opensesame' },
        config: { base_url: 'https://api.example.com/v1/' },
      },
    }),
  },
  updateConnection: {
    status: 200,
    request: async (world) => ({ params: { id: await world.connection() }, body: { secret: 'openbarley' } }),
  },
  testConnection: {
    status: 200,
    request: () => ({ body: { kind: 'http', auth: 'none', config: { base_url: 'http://127.0.0.1:1/' } } }),
  },
  authorizeConnection: {
    status: 200,
    request: async (world) => ({ params: { id: await world.oauthConnection() }, body: {} }),
  },
  listConnectionTools: {
    status: 200,
    request: async (world) => ({ params: { id: (await world.toolServer()).id } }),
  },
  discoverConnectionTools: {
    status: 200,
    request: async (world) => ({ params: { id: (await world.toolServer()).id }, body: {} }),
  },
  acceptConnectionTool: {
    status: 200,
    request: async (world) => {
      const { id, digest } = await world.toolServer()
      return { params: { id, name: 'write' }, body: { definition_digest: digest } }
    },
  },
  withdrawConnectionTool: {
    status: 200,
    request: async (world) => {
      const { id, digest: definition_digest } = await world.toolServer()
      await world.api.post(`/ui/api/connections/${id}/tools/write/accept`, { definition_digest }, world.as('owner'))
      return { params: { id, name: 'write' } }
    },
  },
  createEnvironment: { status: 201, request: (world) => ({ body: { name: world.name('environment') } }) },
  getEnvironment: { status: 200, request: async (world) => ({ params: { name: await world.environment() } }) },
  updateEnvironment: {
    status: 200,
    request: async (world) => {
      const name = await world.environment()
      return { params: { name }, body: { name } }
    },
  },
  deleteEnvironment: { status: 200, request: async (world) => ({ params: { name: await world.environment() } }) },
  attachPolicies: {
    status: 200,
    request: async (world) => ({
      params: { name: await world.environment() },
      body: { policies: [await world.policy()] },
    }),
  },
  setBackends: {
    status: 200,
    request: async (world) => ({ params: { name: await world.environment() }, body: { object_store: 'fs' } }),
  },
  attachKnowledge: {
    status: 200,
    request: async (world) => {
      await world.corpus('attached')
      return { params: { name: await world.environment() }, body: { knowledge: ['attached'] } }
    },
  },
  createCorpus: {
    status: 201,
    request: (world) => ({ body: { name: world.name('corpus'), source: { kind: 'inline' } } }),
  },
  getPassage: {
    status: 200,
    request: async (world) => {
      const { id, ...query } = await world.chunk()
      return { params: { id }, query }
    },
  },
  indexCorpus: {
    status: 200,
    request: async (world) => ({
      params: { id: await world.corpus() },
      body: { documents: [{ path: 'database.md', text: '# Restart\n\nDrain the pool first.\n' }] },
    }),
  },
  queryCorpus: {
    status: 200,
    request: async (world) => ({ params: { id: await world.corpus() }, body: { query: 'drain the pool', limit: 3 } }),
  },
  createProfile: { status: 201, request: (world) => ({ body: { name: world.name('profile') } }) },
  getProfile: { status: 200, request: async (world) => ({ params: { name: await world.profile() } }) },
  updateProfile: {
    status: 200,
    request: async (world) => {
      const name = await world.profile()
      return { params: { name }, body: { name } }
    },
  },
  deleteProfile: { status: 200, request: async (world) => ({ params: { name: await world.profile() } }) },
  getProfileForm: { status: 200, request: async (world) => ({ params: { name: await world.profile() } }) },
  putProfileForm: {
    status: 200,
    request: async (world) => ({ params: { name: await world.profile() }, body: { values: {} } }),
  },
  listRuns: { status: 200, request: () => ({ query: { limit: '1' } }) },
  getStep: { status: 200, request: ({ run }) => ({ params: { id: run, step: 'act' } }) },
  listEvents: { status: 200, request: ({ run }) => ({ params: { id: run }, query: { after_seq: '0' } }) },
  listDeliveries: { status: 200, request: () => ({ query: { state: 'failed,retrying' } }) },
  cancelRun: { status: 202, request: async (world) => ({ params: { id: await world.queuedRun() }, body: {} }) },
  retryRun: {
    status: 202,
    request: async ({ api }) => ({ params: { id: await failTestRun(api) }, body: { reason: 'the target is back' } }),
  },
  pendingApproval: { status: 200, request: async (world) => ({ params: { id: await world.parkedRun() } }) },
  resumeRun: {
    status: 200,
    request: async (world) => ({ params: { id: await world.parkedRun() }, body: { decision: 'approve' } }),
  },
  expireGate: {
    status: 200,
    request: async (world) => ({ params: { id: await world.parkedRun() }, body: { reason: 'left over' } }),
  },
  acknowledgeGate: {
    status: 200,
    request: async (world) => ({ params: { id: await world.gateOf(await world.parkedRun()) } }),
  },
  commentOnGate: {
    status: 200,
    request: async (world) => ({
      params: { id: await world.gateOf(await world.parkedRun()) },
      body: { text: 'the host is in maintenance' },
    }),
  },
  dismissGates: { status: 200, request: () => ({ body: { pack: 'incident', reason: 'left over', dry_run: true } }) },
  runTemplate: {
    status: 202,
    request: () => ({ params: { pack: TEMPLATE.pack, tpl: TEMPLATE.template }, body: { inputs: { url: 'x' } } }),
  },
  runPipeline: { status: 202, request: () => ({ body: { bundle_path: 'guard', pipeline_name: 'manual' } }) },
  listPipelines: { status: 200, request: () => ({ query: { status: 'queued', limit: '1' } }) },
  streamPipeline: { status: 200, request: async (world) => ({ params: { id: await world.pipeline('ended') } }) },
  advancePipelineStep: {
    status: 202,
    request: async (world) => ({ params: { id: await world.pipeline('ready'), step: 'hold' }, body: { note: 'go' } }),
  },
  approvePipelineStep: {
    status: 200,
    request: async (world) => ({ params: { id: await world.pipeline('parked'), step: 'act' }, body: { note: 'seen' } }),
  },
  cancelPipeline: {
    status: 202,
    request: async (world) => ({ params: { id: await world.pipeline() }, body: { reason: 'superseded' } }),
  },
  getGraph: { status: 200, request: () => ({ params: OF_TEMPLATE, query: { environment: 'development' } }) },
  validateInputs: { status: 200, request: () => ({ params: OF_TEMPLATE, body: { inputs: { url: 'x' } } }) },
  preflight: { status: 200, request: () => ({ params: OF_TEMPLATE, body: { inputs: { url: 'x' } } }) },
  listAudit: { status: 200, request: () => ({ query: { category: 'trigger', limit: '1' } }) },
  explainPolicy: { status: 200, request: () => ({ params: { name: 'guard' } }) },
  simulatePolicies: {
    status: 200,
    request: () => ({ body: { environment: 'development', subject: { risk: 'high', action_types: ['read'] } } }),
  },
  rehearsePolicy: {
    status: 200,
    request: () => ({ body: { document: 'name: draft\nrules: [{ effect: deny }]\n', attach: ['development'] } }),
  },
  receiveAlerts: {
    status: 202,
    request: () => ({ body: { source: 'probe', service: 'shop', symptom: 'Down' } }),
  },
  receivePattern: { status: 202, request: () => ({ body: { pattern: 'Spike', service: 'shop', ...TEMPLATE } }) },
  startManually: { status: 202, request: () => ({ body: { ...TEMPLATE, inputs: { url: 'x' } } }) },
  createSchedule: {
    status: 201,
    request: (world) => ({ body: { name: world.name('schedule'), cron: '0 0 1 1 *', ...TEMPLATE } }),
  },
  updateSchedule: {
    status: 200,
    request: async (world) => ({ params: { id: await world.schedule() }, body: { enabled: false } }),
  },
  postInbox: {
    status: 202,
    request: () => ({ body: { route: '/triggers/alert', body: { source: 'probe', service: 'a', symptom: 'Down' } } }),
  },
  replayInbox: {
    status: 200,
    request: () => ({ body: { since: '2020-01-01T00:00:00Z', mode: 'simulate' } }),
  },
  createChatCompletion: {
    status: 200,
    request: () => ({ body: { model: 'default', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 } }),
  },
  probeModel: { status: 200, request: () => ({ body: { model: 'echo' } }) },
  putModelRoles: { status: 200, request: () => ({ body: { roles: { judge: 'echo' } } }) },
  createWorkspace: { status: 201, request: (world) => ({ body: { slug: world.name('ws'), name: 'Some' } }) },
  updateWorkspace: {
    status: 200,
    request: async (world) => ({ params: { id: await world.workspace() }, body: { name: 'Other' } }),
  },
}

export const WITH_ROW = Object.keys(EXAMPLES)

/** The example of the operation, from which `itIsGuarded` makes its tests: its row, else what its description says. */
export function exampleOf(id: string): Example {
  return EXAMPLES[id] ?? plainExample(id)
}

/**
 * An operation that takes no body, or the one that the description gives as an example, and is about nothing, a template, or one thing that
 * every world has or makes.
 */
function plainExample(id: string): Example {
  const { parameters = [], requestBody, responses } = describedOperation(id)
  const named = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const makeOne = named.includes('id') ? ONE_OF[pathOf(id).split('/{id}', 1)[0] ?? ''] : undefined
  const known = named.every((name) => (name === 'id' ? makeOne !== undefined : name in OF_TEMPLATE))
  const status = Object.keys(responses).find((each) => each.startsWith('2'))
  const body = bodyExample(requestBody)
  if ((requestBody !== undefined && body === undefined) || !known || status === undefined)
    throw new Error(`${id}: add a row to EXAMPLES, or what {id} names to ONE_OF, in test/support/operation-examples.ts`)
  const query = neededQuery(id)
  return {
    status: Number(status),
    request: async (world) => {
      const values = { ...OF_TEMPLATE, ...(makeOne && { id: await makeOne(world) }) }
      return { params: pick(values, named), query, ...(body && { body }) }
    },
  }
}

function bodyExample(requestBody: DescribedOperation['requestBody']): ExampleRequest['body'] {
  const { schema = {} } = requestBody?.content?.['application/json'] ?? {}
  const described: { example?: ExampleRequest['body'] } =
    '$ref' in schema ? (describedSchema(String(schema.$ref)) ?? {}) : schema
  return described.example
}

function pathOf(id: string): string {
  return routes.find(({ operationId }) => operationId === id)?.path ?? ''
}

function pick(values: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? '']))
}
