import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { describedOperation, describedSchema } from './api-document.ts'
import type { Sent } from './ask-operation.ts'
import type { GuardWorld } from './guard-world.ts'

const NONE = '7zzzzzzzzzzzzzzzzzzzzzzzzz'

/** For each id in a path, one of its kind that nothing has. */
const ABSENT: Record<string, string> = {
  'approvals/{id}': `gate_${NONE}`,
  'users/{id}': `usr_${NONE}`,
  'api-keys/{id}': `key_${NONE}`,
  'answering-accounts/{id}': `usr_${NONE}`,
  'runs/{id}': `run_${NONE}`,
  'pipelines/{id}': `pl_${NONE}`,
  'steps/{step}': 'absent',
  'scheduled/{id}': `sch_${NONE}`,
  'workspaces/{id}': `ws_${NONE}`,
  'halts/{id}': `halt_${NONE}`,
  'policies/{name}': 'absent',
  'triggers/{name}': 'absent',
  'channels/{name}': 'absent',
  'environments/{name}': 'absent',
  'config-presets/{id}': `pre_${NONE}`,
  'input-presets/{id}': `pre_${NONE}`,
  'knowledge/{id}': `cor_${NONE}`,
  'connections/{id}': `conn_${NONE}`,
  'remote-jobs/{id}': `job_${NONE}`,
  'tools/{name}': 'absent',
  'thread/{id}': `thr_${NONE}`,
}

/** What in a path names something that every workspace of the deployment sees, and why it does. */
const DEPLOYMENT: Record<string, string> = {
  'packs/{pack}': 'packs are loaded for all workspaces',
  '{pack}/{tpl}': 'so are their templates',
  'workflows/{pack}': 'packs are loaded for all workspaces',
  'profiles/{name}': 'profiles stand above workspaces',
  '/console/api/policies/{name}/explain': 'the example is a policy of the overlay, which counts in every workspace',
  'docs/{asset}': 'files of the program',
  'problems/{code}': 'pages of the program',
}

export interface IdInPath {
  name: string
  /** one of its kind that nothing has; undefined for what every workspace sees */
  absent: string | undefined
}

/** The ids in a path. Throws for one that nobody has said how to ask for. */
export function idsIn(path: string): IdInPath[] {
  return [...path.matchAll(/([\w{}-]+)\/\{(\w+)\}/g)].map(([place = '', , name = '']) => {
    if (!(place in ABSENT) && !(place in DEPLOYMENT))
      throw new Error(`${path}: say in test/support/ids-elsewhere.ts what ${place} is when there is none`)
    return { name, absent: path in DEPLOYMENT ? undefined : ABSENT[place] }
  })
}

/** A request in another workspace that names something of the first one: what it is there, and what is nowhere. */
export interface NamedElsewhere {
  here: string
  absent: string
  send(id: string): Sent
}

type Named = (world: GuardWorld) => Promise<NamedElsewhere>

const inBody = (
  field: string,
  here: (world: GuardWorld) => string | Promise<string>,
  absent: string,
  rest: object = {},
) =>
  (async (world) => ({
    here: await here(world),
    absent,
    send: (id) => ({ body: nested(field, id, rest) }),
  })) satisfies Named

function nested(field: string, id: string, rest: object): Record<string, unknown> {
  const [first = '', ...deeper] = field.split('.')
  if (first.endsWith('[]')) return { ...rest, [first.slice(0, -2)]: [id] }
  return { ...rest, [first]: deeper.length === 0 ? id : nested(deeper.join('.'), id, {}) }
}

const inQuery = (field: string, here: (world: GuardWorld) => string | Promise<string>, absent: string) =>
  (async (world) => ({ here: await here(world), absent, send: (id) => ({ query: { [field]: id } }) })) satisfies Named

/** A gate of the first workspace, named beside a run of the other one. */
const gateBeside = (more: object) =>
  (async (world) => {
    const [own, foreign] = [await world.parkedRun(world.other), await world.parkedRun()]
    return {
      ...{ here: await world.gateOf(foreign), absent: `gate_${NONE}` },
      send: (gate_id) => ({ params: { id: own }, body: { ...more, gate_id } }),
    }
  }) satisfies Named

const TEMPLATE = { pack: 'incident', template: 'service-recovery' }
const OF_TEMPLATE = { pack: 'incident', tpl: 'service-recovery' }
const INPUTS = { inputs: { url: 'x' } }
const preset = (world: GuardWorld) => world.preset('config')
const withPreset = (rest: object, params?: Record<string, string>) =>
  (async (world) => ({
    ...{ here: await preset(world), absent: `pre_${NONE}` },
    send: (config_preset) => ({ ...(params && { params }), body: { ...rest, config_preset } }),
  })) satisfies Named

/** What a lifted halt has refused in the first workspace. */
async function refusal({ api }: GuardWorld): Promise<string> {
  const ids = createIds()
  const [halt, id] = [ids.next('halt'), ids.next('halt_refusal')]
  await api.db`
    insert into halts (id, environment, reason, set_by, lifted_at, lifted_by) values (${halt}, 'nowhere', 'a drill', '{}', now(), '{}')`
  await api.db`
    insert into halt_refusals (id, halt_id, workspace_id, key, trigger_type, pack, template, environment, title, requested_by)
    values (${id}, ${halt}, ${DEFAULT_WORKSPACE_ID}, ${id}, 'direct', ${TEMPLATE.pack}, ${TEMPLATE.template}, 'nowhere', 'any', 'somebody')`
  return id
}

/** For each id in a query or a body: how it is asked for from elsewhere, or why it names nothing of a workspace. */
const NAMED: Record<string, Named | string> = {
  'updateMe delegate_to': inBody('delegate_to', (world) => world.user(), `usr_${NONE}`),
  'inviteUser workspaces[]': inBody('workspaces[]', () => DEFAULT_WORKSPACE_ID, `ws_${NONE}`, {
    ...{ email: 'somebody@example.test', roles: ['viewer'] },
  }),
  'updateUser workspaces[]': async (world) => {
    const id = await world.user(world.other)
    const here = DEFAULT_WORKSPACE_ID
    return { here, absent: `ws_${NONE}`, send: (workspace) => ({ params: { id }, body: { workspaces: [workspace] } }) }
  },
  'createApiKey account': inBody('account', (world) => world.serviceAccount(), `usr_${NONE}`, { name: 'elsewhere' }),
  'createApiKey workspace_id': async (world) => {
    const account = await world.serviceAccount(world.other)
    const here = DEFAULT_WORKSPACE_ID
    return { here, absent: `ws_${NONE}`, send: (workspace_id) => ({ body: { name: 'bound', account, workspace_id } }) }
  },
  'setHalt scope.workspace': inBody('scope.workspace', () => DEFAULT_WORKSPACE_ID, `ws_${NONE}`, { reason: 'a drill' }),
  'setHalt scope.requester': async (world) => ({
    ...{ here: await world.user(), absent: `usr_${NONE}` },
    send: (requester) => ({ body: { reason: 'a drill', scope: { workspace: world.other, requester } } }),
  }),
  'listRuns pipeline': inQuery('pipeline', (world) => world.pipeline(), `pl_${NONE}`),
  'listPipelines id': inQuery('id', (world) => world.pipeline(), `pl_${NONE}`),
  'listRemoteJobs run_id': inQuery('run_id', async (world) => (await world.remoteJob()).run_id, `run_${NONE}`),
  'listAudit run_id': inQuery('run_id', ({ run }) => run, `run_${NONE}`),
  'listAudit actor': inQuery('actor', (world) => world.user(), `usr_${NONE}`),
  'resumeRun approver': async (world) => {
    const id = await world.parkedRun(world.other)
    const here = await world.user()
    return {
      ...{ here, absent: `usr_${NONE}` },
      send: (approver) => ({ params: { id }, body: { decision: 'reject', note: 'no', approver } }),
    }
  },
  'resumeRun gate_id': gateBeside({ decision: 'approve' }),
  'expireGate gate_id': gateBeside({ reason: 'left over' }),
  'dismissGates run_ids[]': inBody('run_ids[]', (world) => world.parkedRun(), `run_${NONE}`, {
    ...{ reason: 'left over', dry_run: true },
  }),
  'replayInbox ids[]': inBody('ids[]', () => `dlv_${NONE.replace('7', '6')}`, `dlv_${NONE}`, { mode: 'simulate' }),
  'runTemplate config_preset': withPreset(INPUTS, OF_TEMPLATE),
  'runTemplate refusal': async (world) => ({
    ...{ here: await refusal(world), absent: `hrf_${NONE}` },
    send: (id) => ({ params: OF_TEMPLATE, body: { ...INPUTS, refusal: id } }),
  }),
  'startAgain refusal': 'looked up as at runTemplate',
  'retryRun refusal': 'looked up as at runTemplate',
  'validateInputs config_preset': withPreset(INPUTS, OF_TEMPLATE),
  'preflight config_preset': withPreset(INPUTS, OF_TEMPLATE),
  'startManually config_preset': withPreset({ ...TEMPLATE, ...INPUTS }),
  'createSchedule config_preset': withPreset({ ...TEMPLATE, name: 'elsewhere', cron: '0 0 1 1 *' }),
  'createEnvironment workspaces[]': inBody('workspaces[]', () => 'archived', 'absent', { name: 'elsewhere' }),
  'updateEnvironment workspaces[]': async () => ({
    ...{ here: 'archived', absent: 'absent' },
    send: (slug) => ({ params: { name: 'development' }, body: { name: 'development', workspaces: [slug] } }),
  }),
  'createConnection workspaces[]': inBody('workspaces[]', () => 'archived', 'absent', {
    ...{ name: 'elsewhere', kind: 'http', auth: 'none', config: { base_url: 'https://api.example.com/' } },
  }),
  'updateConnection workspaces[]': 'workspaces are given to by who may enter all of them, as at createConnection',
  'testConnection id': 'only who may enter all workspaces tests a connection',
  'inviteUser email':
    'a mail address belongs to one person of the deployment: 409 says that it is taken, as docs/security.md says',
  'runTemplate ask.thread_id': 'an origin that the answer does not show; a thread of somebody else is none',
  'runTemplate ask.turn_id': 'the same',
  'approvePipelineStep gate_id': 'judged with the run of the step, as at resumeRun',
  'approvePipelineStep approver': 'the same',
  'askQuestion thread_id':
    'a thread that is not the caller’s is as empty as one that never was: test/api/ask/ask-question.test.ts',
  'createChatCompletion messages[].tool_calls[].id': 'of the conversation that is sent',
  'createChatCompletion messages[].tool_call_id': 'of the conversation that is sent',
  'answerMcp id': 'the number of the message',
}

/** Those of an operation that can be asked for. Throws for an id that nobody has said anything about. */
export function idsNamedBy(operationId: string): { field: string; ask: Named }[] {
  return idFields(operationId).flatMap((field) => {
    const ask = NAMED[`${operationId} ${field}`]
    if (ask === undefined)
      throw new Error(`${operationId}: say in test/support/ids-elsewhere.ts how ${field} is asked for from elsewhere`)
    return typeof ask === 'string' ? [] : [{ field, ask }]
  })
}

/** Every name in the table, for a test that none of them is left over. */
export const NAMED_IDS = Object.keys(NAMED)

/** The fields of a query or a body that take an id, by their description. */
export function idFields(operationId: string): string[] {
  const { parameters = [], requestBody } = describedOperation(operationId)
  const inQueries = parameters.filter((each) => each.in === 'query').flatMap(({ name, schema }) => texts(schema, name))
  const [content] = Object.values(requestBody?.content ?? {})
  const found = [...inQueries, ...texts(content?.schema, '')]
  return [...new Set(found.filter(({ at, pattern }) => isId(at, pattern)).map(({ at }) => at))]
}

const ID_NAMES =
  /(^|[._])(id|ids|account|requester|approver|actor|workspaces?|delegate_to|config_preset|email|pipeline)(\[\])?$/

function isId(at: string, pattern: string | undefined): boolean {
  return ID_NAMES.test(at) || /_\[0-9a-z\]\{/.test(pattern ?? '')
}

interface Described {
  $ref?: string
  type?: string | string[]
  pattern?: string
  items?: Described
  properties?: Record<string, Described>
  anyOf?: Described[]
  oneOf?: Described[]
  allOf?: Described[]
}

/** Every text in a schema, by its place. */
function texts(schema: Described | undefined, at: string, depth = 0): { at: string; pattern: string | undefined }[] {
  if (schema === undefined || depth > 8) return []
  if (schema.$ref !== undefined) return texts(describedSchema(schema.$ref), at, depth + 1)
  const within = (name: string) => (at === '' ? name : `${at}.${name}`)
  return [
    ...([schema.type].flat().includes('string') ? [{ at, pattern: schema.pattern }] : []),
    ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((each) =>
      (each ?? []).flatMap((one) => texts(one, at, depth + 1)),
    ),
    ...texts(schema.items, `${at}[]`, depth + 1),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => texts(each, within(name), depth + 1)),
  ]
}
