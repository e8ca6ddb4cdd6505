import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CloudEvent, cloudEvent } from '#core/bus/cloud-event.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import { fireSkill } from '#services/skills/fire-skill.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import type { UserRow } from '#store/users.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { onePack } from '#test/support/one-pack.ts'
import { OF, PRESETS_SCHEMA } from '#test/support/preset-world.ts'
import { createRecordDeps, createRecordEngine, TEST_SEAL } from '#test/support/record-engine.ts'
import { storeAt } from '#test/support/schedule-store.ts'
import { finishTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

/** What somebody writes is written, and starts runs, through the routes and loops of the product; only workflows are left out. */
let api: TestApi
/** when it is, where that matters */
let now: number | undefined
let rules: TriggerRule[] = []
let names = 0

const ALLOWED = {
  ...{ effect: 'allow_auto' as const, matched: [], dry_run: false, approval_roles: [], channels: [] },
  ...{ broken_policies: [], snapshot_hash: 'sha256:0' },
}
const RULE: TriggerRule = {
  ...{ name: 'down', on: 'alert', match: { symptom: 'Down', severity: [], labels: {} } },
  ...{ run: 'incident/service-recovery', inputs: { url: 'http://shop' }, on_resolved: 'record', limits: {} },
  ...{ layer: 'overlay', origin: 'rules/test.yaml' },
}

const database = testDatabase()
beforeAll(async () => {
  const packs = onePack()
  const template = packs.findTemplate(OF.pack, OF.template)
  const findTemplate = (pack: string, name: string) =>
    template && pack === OF.pack && name === OF.template ? { ...template, inputs_schema: PRESETS_SCHEMA } : undefined
  const record = createRecordDeps(database.db, { open: false, signals_approve: false })
  api = await createTestApi(database, {
    secret: SECRET,
    services: {
      engine: createRecordEngine(record),
      sign: TEST_SEAL.sign,
      packs: { ...packs, findTemplate },
      policies: { effective: async () => ({ snapshot_hash: 'sha256:0', decide: () => ALLOWED }) },
      clock: () => now ?? Date.now(),
    },
    intake: { inbox: createTestInbox(database) },
  })
  Object.assign(api.deps.services.environments, { rules: () => rules })
})
afterAll(() => api?.close())

type Headers = Record<string, string>

const fresh = () => {
  names += 1
  return `n${names}`
}

async function sent(method: string, path: string, body: unknown, headers: Headers): Promise<JsonObject> {
  const answer = await api.app.request(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const text = await answer.text()
  expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true)
  return JSON.parse(text) as JsonObject
}

const start = (body: object, by: Headers) => sent('POST', `/packs/${OF.pack}/${OF.template}/run`, body, by)

async function alerted(service: string, by: Headers): Promise<unknown> {
  const { results } = await sent('POST', '/triggers/alert', { source: 'probe', service, symptom: 'Down' }, by)
  return (results as { run_id?: string }[])[0]?.run_id
}

/** How somebody shapes a run that somebody else asks for, and what they are told when they approve it. */
const WAYS: Record<string, { says: RegExp; run(author: Headers, other: Headers): Promise<unknown> }> = {
  'an input preset': {
    says: /you wrote the input preset n\d+/,
    async run(author, other) {
      const inputs = { url: `http://${fresh()}` }
      await sent('POST', '/console/api/input-presets', { ...OF, name: fresh(), values: { inputs } }, author)
      return (await sent('POST', '/triggers/manual', { ...OF, inputs }, other))['run_id']
    },
  },
  'a config preset': {
    says: /you wrote the config preset n\d+/,
    async run(author, other) {
      const name = fresh()
      const values = { inputs: { url: 'http://shop' } }
      await sent('POST', '/console/api/config-presets', { ...OF, name, values }, author)
      return (await start({ inputs: {}, config_preset: name }, other))['id']
    },
  },
  'a config preset that somebody else has changed since': {
    says: /you wrote the config preset n\d+/,
    async run(author, other) {
      const values = { inputs: { url: 'http://shop' } }
      const made = await sent('POST', '/console/api/config-presets', { ...OF, name: fresh(), values }, author)
      const next = { values: { inputs: { url: 'http://shop', action: 'rollback' } } }
      const editor = await bearer(api.deps, await admin())
      await sent('PATCH', `/console/api/config-presets/${made['id']}`, next, {
        ...editor,
        'if-match': String(made['etag']),
      })
      return (await start({ inputs: {}, config_preset: made['name'] }, other))['id']
    },
  },
  'the configuration of the template': {
    says: /you wrote the configuration of incident\/service-recovery/,
    async run(author, other) {
      const path = `/console/api/workflows/${OF.pack}/${OF.template}/config`
      await sent('PUT', path, { values: { inputs: { url: 'http://shop' } } }, author)
      const { id } = await start({ inputs: {} }, other)
      await database.db`delete from presets where kind = 'workflow'`
      return id
    },
  },
  'a rule of the console': {
    says: /you wrote the rule n\d+/,
    async run(author, other) {
      const [name, service] = [fresh(), fresh()]
      const text = `name: ${name}\non: alert\nmatch: { service: ${service} }\nrun: incident/service-recovery\ninputs: { url: "http://shop" }\n`
      expect((await sendYaml(api, ['POST', '/ui/api/triggers'], text, author)).status).toBe(201)
      return await alerted(service, other)
    },
  },
  'a schedule': {
    says: /you wrote the schedule sch_\w+/,
    async run(author) {
      const draft = { ...OF, name: fresh(), cron: '* * * * *', inputs: { url: 'http://shop' } }
      const { id } = await sent('POST', '/triggers/scheduled', draft, author)
      await database.db`
        update schedules set updated_at = updated_at - interval '1 hour', accounted_until = accounted_until - interval '1 hour'
        where id = ${String(id)}`
      const nominal = Math.floor(Date.now() / 60_000) * 60_000 - 60_000
      now = nominal
      const store = storeAt(api.deps.reads.schedules.store, () => nominal)
      const fired = await fireSchedule(
        {
          services: api.deps.services,
          store,
          workspaces: api.deps.workspaces,
          claims: createRecordDeps(database.db),
        },
        {
          schedule_id: String(id),
          workspace_id: DEFAULT_WORKSPACE_ID,
          nominal_at: new Date(nominal).toISOString(),
        },
      )
      now = undefined
      return 'run_id' in fired ? fired.run_id : undefined
    },
  },
  'a delivery that somebody else replays': {
    says: /you sent the delivery dlv_/,
    async run(author, other) {
      rules = []
      expect(await alerted(fresh(), author)).toBeUndefined()
      rules = [RULE]
      const [item] = (await (await api.get('/triggers/inbox?limit=1', other)).json()) as { id: string }[]
      const body = { ids: [item?.id], mode: 'if_no_run' }
      const [outcome] = (await sent('POST', '/triggers/inbox/replay', body, other)) as unknown as { run_id?: string }[]
      rules = []
      return outcome?.run_id
    },
  },
  'the run whose end a skill answers': {
    says: /you (asked for the run|shaped the run run_\w+)/,
    async run(author) {
      const { id } = await start({ inputs: { url: 'http://shop' } }, author)
      const parent = String(id)
      await finishTestRun(api, parent, undefined, 'failed')
      return await answered({ id: parent, source: `svc/runs/${parent}`, type: 'run.failed', data: { run_id: parent } })
    },
  },
  'a question whose answer a skill acts on': {
    says: /you caused the event that skill test\/answer received/,
    async run(author) {
      const { id } = (await (await api.get('/auth/me', author)).json()) as { id: string }
      const data = { turn_id: 'trn_1', actor: { type: 'user', id } }
      return await answered({ id: 'trn_1', source: 'svc/ask', type: 'ask.answered', data })
    },
  },
}

/** The run that a skill starts of an event. */
async function answered(event: Pick<CloudEvent, 'id' | 'source' | 'type' | 'data'>): Promise<string | undefined> {
  const fired = await fireSkill(
    { services: api.deps.services, firings: createSkillFirings(database.db), workspaces: api.deps.workspaces },
    {
      ...{ id: 'test/answer', name: 'answer', description: 'A skill.', layer: 'pack' as const },
      ...{ file: 'test/skills/answer/SKILL.md', frontmatter: {}, instructions: '' },
      start: { ...OF, inputs: { url: 'http://shop' }, dry_run: false, on: [event.type] },
    },
    {
      ...{ id: event.id, topic: event.type, workspace_id: DEFAULT_WORKSPACE_ID, redelivered: false, attempt: 1 },
      event: cloudEvent({ ...event, time: new Date().toISOString(), workspace_id: DEFAULT_WORKSPACE_ID }),
    },
  )
  return fired.run_id
}

const admin = (): Promise<UserRow> => addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })

async function approve(run: string, headers: Headers) {
  const answer = await api.post(`/runs/${run}/resume`, { decision: 'approve' }, headers)
  const { code, detail, resolved } = (await answer.json()) as { code?: string; detail?: string; resolved?: boolean }
  return answer.status === 200 ? { resolved } : { code, detail }
}

describe('under prevent_self, nobody approves a run made of what they wrote', () => {
  it.each(Object.keys(WAYS))('%s', async (way) => {
    const { says, run } = WAYS[way] ?? expect.fail(way)
    const [writer, asker, third] = [await admin(), await admin(), await admin()]
    const author = await bearer(api.deps, writer)
    const id = await run(author, await bearer(api.deps, asker))
    expect(id).toMatch(/^run_/)
    await parkTestRun(api, String(id), { required: { approvals: 1, approval_roles: [], prevent_self: true } })
    const refused = await approve(String(id), author)
    expect(refused).toMatchObject({ code: 'self_approval' })
    expect(refused.detail).toMatch(says)
    expect(await approve(String(id), await bearer(api.deps, third))).toEqual({ resolved: true })
  })
})
