import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Environment } from '#core/environment/environment.ts'
import { AllowedProcess } from '#core/environment/process-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Preflight } from '#core/plan/preflight-schema.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { guardPolicies } from '#test/support/guard-policies.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { DEVELOPMENT, onePack, TEST_DIGEST } from '#test/support/one-pack.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('preflight')

const PATH = '/packs/incident/service-recovery'
let api: TestApi
let environment: Environment
let digest: string
/** changes of the step `act` */
let written: Partial<PlanStep>
let policies: PolicySource['effective']
/** of one step */
let cost_usd: number | string
/** connections that the pack asks for */
let asked: LoadedPack['connections']

const database = testDatabase()
beforeAll(async () => {
  const packs = onePack()
  const changing = () => {
    const found = packs.findTemplate('incident', 'service-recovery')
    if (found === undefined) return undefined
    const steps = found.plan.steps.map((step) => ({ ...step, with: costs(), ...(step.id === 'act' && written) }))
    return { ...found, plan: { ...found.plan, steps, digest } }
  }
  const list = () => packs.list().map((pack) => ({ ...pack, connections: asked }))
  const environments = {
    get: (name: string) => (name === environment.name ? environment : undefined),
    list: () => [environment],
    profile: (name: string) => ({ name, requires_approval: [] }),
    rules: () => [],
  }
  api = await createTestApi(database, {
    secret: SECRET,
    services: {
      packs: { ...packs, list, findTemplate: changing },
      environments,
      policies: { effective: (...of) => policies(...of) },
    },
  })
})
beforeEach(async () => {
  environment = DEVELOPMENT
  digest = TEST_DIGEST
  written = {}
  policies = guardPolicies().effective
  cost_usd = 0
  asked = []
  await database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`
})
afterAll(() => api?.close())

const lawless: PolicySource['effective'] = async (_workspace, { name, class: of }) =>
  compilePolicies(
    {
      layers: { pack: EMPTY_LAYER, overlay: EMPTY_LAYER, console: EMPTY_LAYER },
      environment: { name, class: of, policies: [] },
    },
    { hash: (text) => `sha256:${text.length}` },
  )
const costs = () => ({ cost: { llm_usd: cost_usd } })
const as = async (role: string) => bearer(api.deps, await addUser(api.deps, { roles: [role] }))
async function preflight(body: object = {}, role = 'operator') {
  const answer = await api.post(`${PATH}/preflight`, { inputs: { url: 'x' }, ...body }, await as(role))
  expect(answer.status).toBe(200)
  const found = Preflight.parse(await answer.json())
  return { ...found, failed: found.checks.filter(({ status }) => status === 'fail').map(({ id }) => id) }
}

describe('POST /packs/{pack}/{tpl}/preflight', () => {
  it('says what a start would meet, and leaves nothing behind', async () => {
    const count = async () =>
      (await database.db`select (select count(*) from runs) as runs, (select count(*) from audit_outbox) as records`)[0]
    const headers = await as('operator')
    const before = await count()
    const answer = await api.post(`${PATH}/preflight`, { inputs: { url: 'x' } }, headers)
    const found = Preflight.parse(await answer.json())
    expect(await count()).toEqual(before)
    expect(found).toMatchObject({ verdict: 'ready', estimate_usd: 0, policy: { effect: 'require_hitl' } })
    expect(found.gates_expected).toEqual(
      ['evidence', 'act'].map((step) => ({
        step,
        because: ['the overlay policy guard requires a person: restarts are asked for'],
        approval_roles: [['dba']],
      })),
    )
  })

  it('blocks by role, environment, freeze and halt', async () => {
    expect((await preflight({}, 'viewer')).failed).toEqual(['caller'])
    expect((await preflight({ environment: 'nowhere' })).failed).toEqual(['environment'])
    const interval = { from: '2020-01-01T00:00:00Z', to: '2120-01-01T00:00:00Z' }
    environment = { ...DEVELOPMENT, freeze: [{ name: 'peak', scope: 'all', freeze_approvers: [], interval }] }
    expect((await preflight()).failed).toEqual(['freezes'])
    environment = { ...DEVELOPMENT, freeze: [{ name: 'peak', scope: 'all', freeze_approvers: ['dba'], interval }] }
    expect((await preflight()).verdict).toBe('ready')
    environment = DEVELOPMENT
    const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
    await api.post('/console/api/halts', { scope: { template: 'incident/service-recovery' }, reason: 'a drill' }, admin)
    const halted = await preflight()
    expect([halted.verdict, halted.failed]).toEqual(['blocked', ['halts']])
    expect(halted.checks.find(({ id }) => id === 'halts')).toMatchObject({ fix: expect.any(String) })
  })

  it('gives a plan hash that a start is refused with once anything that was planned is another', async () => {
    const { plan_hash, environment: place, profile, config_preset, inputs } = await preflight({ dry_run: true })
    expect([place, profile, config_preset, inputs]).toEqual(['development', 'default', null, { url: 'x' }])
    expect((await preflight({ dry_run: true })).plan_hash).toBe(plan_hash)
    const planned = { inputs: { url: 'x' }, dry_run: true, plan_hash }
    const start = async (edit: object = {}, path = `${PATH}/run`) => {
      const answer = await api.post(path, { ...planned, ...edit }, await as('operator'))
      return [
        answer.status,
        answer.status === 202 ? '' : z.object({ code: z.string() }).parse(await answer.json()).code,
      ]
    }
    const runs = async () => (await database.db`select count(*)::int as runs from runs`)[0]?.['runs']
    const [manual, named] = ['/triggers/manual', { pack: 'incident', template: 'service-recovery' }]
    expect(await start()).toEqual([202, ''])
    expect(await start({ environment: 'development', template_digest: digest })).toEqual([202, ''])
    expect(await start({ ...named, wait: false }, manual)).toEqual([202, ''])

    const before = await runs()
    const changed = [409, 'plan_changed']
    expect(await start({ inputs: { url: 'y' } })).toEqual(changed)
    expect(await start({ inputs: { url: 'x', more: 1 } })).toEqual(changed)
    expect(await start({ dry_run: false })).toEqual(changed)
    expect(await start({ sandbox: true, environment: 'development' })).toEqual(changed)
    expect(await start({ profile: 'careful' })).toEqual(changed)
    expect(await start({ ...named, inputs: { url: 'y' }, wait: true }, manual)).toEqual(changed)
    environment = { ...DEVELOPMENT, name: 'elsewhere' }
    expect(await start({ environment: 'elsewhere' })).toEqual(changed)
    environment = { ...DEVELOPMENT, egress: ['10.0.0.0/8'] }
    expect(await start()).toEqual(changed)
    environment = DEVELOPMENT
    policies = lawless
    expect(await start()).toEqual(changed)
    policies = guardPolicies().effective
    digest = `sha256:${'e'.repeat(64)}`
    expect(await start()).toEqual(changed)
    expect(await runs()).toBe(before)
  })

  it('blocks while a queue of a step is not bound', async () => {
    written = { operator: 'temporal.activity', with: { queue: 'ml', activity: 'train', result_schema: {} } }
    const queues = async () => (await preflight()).checks.find(({ id }) => id === 'queues')
    expect(await queues()).toMatchObject({
      ...{ status: 'fail', fix: 'add ml under queues of environments/development.yaml' },
    })
    environment = { ...DEVELOPMENT, queues: { ml: { task_queue: 'ml-gpu' } } }
    expect(await queues()).toMatchObject({ status: 'pass' })
  })

  describe('looks at connections', () => {
    const bound = (kind: string) => ({ kind, url: 'env:URL' })
    const checkOf = async () => {
      const found = await preflight()
      return { verdict: found.verdict, ...found.checks.find(({ id }) => id === 'connections') }
    }

    it('and blocks while one that the pack needs is not bound, or is of another kind', async () => {
      asked = [{ id: 'maintenance', kind: 'postgres', optional: false }]
      expect(await checkOf()).toMatchObject({
        verdict: 'blocked',
        status: 'fail',
        message: 'in development maintenance (postgres) is not bound',
        fix: 'bind maintenance under connections of environments/development.yaml',
        evidence: { integrations: [{ connection: 'maintenance', bound: false, status: 'unbound' }] },
      })
      environment = { ...DEVELOPMENT, connections: { maintenance: bound('http') } }
      expect(await checkOf()).toMatchObject({
        verdict: 'blocked',
        message: 'in development maintenance is of another kind than postgres',
      })
      environment = { ...DEVELOPMENT, connections: { maintenance: bound('postgres') } }
      expect(await checkOf()).toMatchObject({ verdict: 'ready', status: 'pass', message: 'all connections are bound' })
    })

    describe('of the console, that', () => {
      beforeEach(async () => {
        await database.db`delete from connections`
        asked = [{ id: 'maintenance', kind: 'postgres', optional: false }]
        const url = 'connection:orders'
        environment = { ...DEVELOPMENT, connections: { maintenance: { kind: 'postgres', url } } }
      })
      const stored = (workspaces: string[], test: 'healthy' | 'failed' = 'healthy') => database.db`
        insert into connections (id, account_id, name, kind, auth, config, workspaces, created_by, author, status, last_test)
        values ('conn_01hzy3v9k5m8q2w4x6z8b0d2f4', 'acc_local', 'orders', 'postgres', 'none', '{"host": "db.example.com"}',
          ${workspaces}, 'usr_ann', 'usr_ann', ${test}, ${database.db.json({ at: '2026-01-05T09:30:00.000Z', ok: test === 'healthy', latency_ms: 5, detail: 'nobody answers' })})`

      it('is good pass', async () => {
        await stored(['default'])
        expect(await checkOf()).toMatchObject({ status: 'pass', message: 'all connections are bound' })
      })

      it('failed its last test are warned of, with when, why and what to do', async () => {
        await stored(['default'], 'failed')
        expect(await checkOf()).toMatchObject({
          ...{ verdict: 'ready', status: 'warn', fix: 'test it: svc connections test orders' },
          message: 'maintenance (orders): its last test, at 2026-01-05T09:30:00.000Z, found that nobody answers',
        })
      })

      it('are not granted, or cannot be used, block', async () => {
        await stored(['elsewhere'])
        expect(await checkOf()).toMatchObject({
          ...{ verdict: 'blocked', status: 'fail', message: expect.stringContaining('no such connection') },
        })
        await database.db`
          update connections set workspaces = '{default}', auth = 'oauth2', kind = 'http', fingerprint = '0123abcd',
            config = '{"base_url": "https://api.example.com/", "issuer": "https://login.example.com", "client_id": "svc"}'`
        expect(await checkOf()).toMatchObject({
          ...{ verdict: 'blocked', status: 'fail', message: 'maintenance (orders): nobody has authorised it yet' },
          fix: expect.stringContaining('svc connections authorize orders'),
        })
        asked = [{ id: 'maintenance', kind: 'postgres', optional: true }]
        expect(await checkOf()).toMatchObject({ verdict: 'ready', status: 'warn' })
      })

      it('has tools block where they were not accepted, or are others now', async () => {
        asked = []
        await stored(['default'])
        const [{ id }] = await database.db<[{ id: string }]>`
          update connections set kind = 'mcp', config = '{"url": "https://tools.example.com/mcp"}' returning id`
        const url = 'connection:orders'
        environment = { ...DEVELOPMENT, connections: { maintenance: { kind: 'mcp', url } } }
        written = { operator: 'mcp.tool', with: { connection: 'maintenance', tool: 'write' } }
        const blocked = { verdict: 'blocked', status: 'fail' }
        expect(await checkOf()).toMatchObject({
          ...{ ...blocked, message: 'maintenance (orders): the tool write of orders was not accepted' },
          fix: 'an admin reads and accepts it: svc connections tools discover orders',
        })
        const [digest, other] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`)
        await database.db`
          insert into mcp_tools (connection_id, name, address, definition, definition_digest, accepted_definition,
            accepted_digest, effect, accepted_by, accepted_at)
          values (${id}, 'write', 'https://tools.example.com/mcp', '{"title": "b"}', ${digest ?? ''}, '{"title": "a"}',
            ${digest ?? ''}, 'write', 'ann', now())`
        expect(await checkOf()).toMatchObject({ verdict: 'ready' })
        written = { operator: 'mcp.tool', with: { connection: 'maintenance', tool: `\${{ inputs.tool }}` } }
        await database.db`update mcp_tools set definition_digest = ${other ?? ''}`
        expect(await checkOf()).toMatchObject({ verdict: 'ready' })
        written = { operator: 'mcp.tool', with: { connection: 'maintenance', tool: 'write' } }
        expect(await checkOf()).toMatchObject({
          ...{ ...blocked, message: 'maintenance (orders): the tool write of orders is not what was accepted (title)' },
        })
      })

      it('a step names counts also where the pack does not ask for it', async () => {
        asked = []
        await stored(['elsewhere'])
        written = { with: { connection: 'maintenance' } }
        expect(await checkOf()).toMatchObject({ verdict: 'blocked', status: 'fail' })
      })
    })

    it('and warns of one that the pack can do without', async () => {
      expect(await checkOf()).toMatchObject({ status: 'skipped', message: 'the pack asks for no connections' })
      asked = [{ id: 'chat', kind: 'slack', optional: true }]
      expect(await checkOf()).toMatchObject({
        verdict: 'ready',
        status: 'warn',
        message: expect.stringContaining('chat (slack) is not bound'),
      })
    })

    it('and tells no secret of them', async () => {
      asked = [{ id: 'maintenance', kind: 'postgres', optional: false }]
      const kept = { kind: 'postgres', url: 'file:/run/hunter2' }
      environment = { ...DEVELOPMENT, connections: { maintenance: kept } }
      expect(JSON.stringify(await preflight())).not.toContain('hunter2')
    })
  })

  describe('looks at budgets', () => {
    const checkOf = async (body: object = {}) => {
      const { verdict, estimate_usd, checks } = await preflight(body)
      return { verdict, estimate_usd, ...checks.find(({ id }) => id === 'budget') }
    }
    /** of today, and of tomorrow where midnight comes between; half of it is spent, half reserved */
    const take = (name: string, micro_usd: number) => database.db`
      insert into environment_budgets (workspace_id, environment, day, cap_micro_usd, spent_micro_usd, reserved_micro_usd)
      select ${DEFAULT_WORKSPACE_ID}, ${name}, (now() at time zone 'utc')::date + n, 0, ${micro_usd / 2}, ${micro_usd / 2}
      from generate_series(0, 1) n
      on conflict (workspace_id, environment, day) do update
        set spent_micro_usd = excluded.spent_micro_usd, reserved_micro_usd = excluded.reserved_micro_usd`

    beforeEach(async () => {
      await take(DEVELOPMENT.name, 0)
      await take('*', 0)
    })

    it('and counts every attempt against the cap of one run, which a dry run does not touch', async () => {
      cost_usd = 0.4
      expect(await checkOf()).toMatchObject({ verdict: 'ready', status: 'pass', estimate_usd: 0.8 })
      environment = { ...DEVELOPMENT, cost_gate: { max_usd: 0.5 } }
      expect(await checkOf()).toMatchObject({
        verdict: 'blocked',
        status: 'fail',
        message: 'it may cost 0.8 USD, and 0.5 USD are left',
        fix: 'raise the cap, or wait for the next UTC day',
        evidence: { run_cap_usd: 0.5 },
      })
      expect(await checkOf({ dry_run: true })).toMatchObject({ verdict: 'ready', status: 'pass', estimate_usd: 0 })
    })

    it('and against what the day has left, in the environment and in the workspace', async () => {
      cost_usd = 0.4
      environment = { ...DEVELOPMENT, cost_gate: { max_usd: 5, daily_usd: 2 } }
      expect(await checkOf()).toMatchObject({ status: 'pass', evidence: { environment_left_usd: 2 } })
      await take(DEVELOPMENT.name, 1_400_000)
      const environment_left = { run_cap_usd: 5, environment_left_usd: 0.6 }
      expect(await checkOf()).toMatchObject({ verdict: 'blocked', status: 'fail', evidence: environment_left })
      environment = { ...DEVELOPMENT, cost_gate: { max_usd: 5 } }
      expect(await checkOf()).toMatchObject({ verdict: 'ready', status: 'pass' })
      const owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
      const limited = await api.app.request(`/workspaces/${DEFAULT_WORKSPACE_ID}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...owner },
        body: JSON.stringify({ limits: { daily_usd: 1 } }),
      })
      expect(limited.status).toBe(200)
      await take('*', 900_000)
      expect(await checkOf()).toMatchObject({
        verdict: 'blocked',
        status: 'fail',
        evidence: { workspace_left_usd: 0.1 },
      })
      cost_usd = 0
      await take('*', 1_000_000)
      expect(await checkOf()).toMatchObject({
        verdict: 'ready',
        status: 'warn',
        message: 'nothing that costs can run; 0 USD are left',
      })
    })

    it('and warns of a cost that is not known before inputs are rendered', async () => {
      cost_usd = `\${{ inputs.url }}`
      expect(await checkOf()).toMatchObject({
        verdict: 'ready',
        status: 'warn',
        estimate_usd: null,
        message: expect.stringContaining('what it costs is not known yet'),
      })
    })
  })
})

it('says before anybody is asked that a statement cannot run inside of a transaction', async () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: expressions of a template
  const operation = { connection: 'main', sql: '${{ inputs.sql }}', transaction: '${{ inputs.sql == "" }}' }
  written = { operator: 'postgres.execute', with: { connection: 'main', sql: '${{ inputs.sql }}' } }
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: expressions of a template
  const inputs = async (sql: string) => {
    const { verdict, checks } = await preflight({ inputs: { sql } })
    return [verdict, checks.find(({ id }) => id === 'inputs')?.message]
  }
  const message = 'step act: VACUUM cannot run inside a transaction: set transaction: false'
  expect(await inputs('vacuum orders')).toEqual(['blocked', message])
  expect((await inputs('delete from orders'))[0]).toBe('ready')
  written = { ...written, with: operation }
  expect((await inputs('vacuum orders'))[0]).toBe('ready')
  written = { ...written, when: 'steps.evidence.outputs.ok', with: { ...operation, transaction: true } }
  expect((await inputs('vacuum orders'))[0]).toBe('ready')
})

it('says before anybody is asked which process its environment does not allow, and what to add', async () => {
  const job = AllowedProcess.parse({ name: 'job', command: '/opt/job', args: ['[0-9]+'] })
  written = { operator: 'process.run', with: { command: 'job', args: [`\${{ inputs.sql }}`] } }
  const check = async (sql: string) => {
    const { verdict, checks } = await preflight({ inputs: { sql } })
    return { verdict, ...checks.find(({ id }) => id === 'environment') }
  }
  const { name } = DEVELOPMENT
  expect(await check('1')).toMatchObject({
    verdict: 'blocked',
    message: `step act: environment "${name}" does not allow the process "job"; allowed: none; add it under processes of environments/${name}.yaml`,
    fix: `change processes of environments/${name}.yaml, or the step`,
  })
  environment = { ...DEVELOPMENT, processes: [job] }
  expect(await check('1')).toMatchObject({ verdict: 'ready', status: 'pass' })
  expect(await check('$(id)')).toMatchObject({ verdict: 'blocked', status: 'fail' })
  written = { ...written, when: 'steps.evidence.outputs.ok' }
  expect(await check('$(id)')).toMatchObject({ verdict: 'ready' })
})
