import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Environment } from '#core/environment.ts'
import { Preflight } from '#core/plan/preflight-schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { guardPolicies } from '#test/support/guard-policies.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { DEVELOPMENT, onePack, TEST_DIGEST } from '#test/support/one-pack.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('preflight')

const PATH = '/packs/incident/service-recovery'
let database: TestDatabase
let api: TestApi
let environment: Environment
let digest: string

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  const packs = onePack()
  const changing = () => {
    const found = packs.findTemplate('incident', 'service-recovery')
    return found && { ...found, plan: { ...found.plan, digest } }
  }
  const environments = {
    get: (name: string) => (name === environment.name ? environment : undefined),
    list: () => [environment],
    profile: (name: string) => ({ name, requires_approval: [] }),
    rules: () => [],
  }
  api = await createTestApi(database, {
    secret: SECRET,
    services: { packs: { ...packs, findTemplate: changing }, environments, policies: guardPolicies() },
  })
})
beforeEach(async () => {
  environment = DEVELOPMENT
  digest = TEST_DIGEST
  await database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})

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

  it('gives a plan hash that a start is refused with once the plan has changed', async () => {
    const { plan_hash } = await preflight()
    const start = async () => api.post(`${PATH}/run`, { inputs: { url: 'x' }, plan_hash }, await as('operator'))
    expect((await start()).status).toBe(202)
    digest = `sha256:${'e'.repeat(64)}`
    const refused = await start()
    expect([refused.status, await refused.json()]).toEqual([409, expect.objectContaining({ code: 'plan_changed' })])
  })
})
