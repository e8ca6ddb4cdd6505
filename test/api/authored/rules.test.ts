import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ConsoleRule } from '#core/trigger/console-schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { sharedWorld } from '#test/support/guarded-operation.ts'
import { onePack } from '#test/support/one-pack.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const TRIGGERS = '/ui/api/triggers'
const OTHER = 'ws_0000000000000000000000000b'
const RULE = `name: shop-down   # the one of the night shift
on: alert
match: { service: shop }
run: incident/service-recovery
`
const SHIPPED: TriggerRule = {
  ...{ name: 'everything', on: 'alert', match: { severity: [], labels: {} }, run: 'incident/service-recovery' },
  ...{
    inputs: {},
    on_resolved: 'record',
    limits: {},
    layer: 'pack',
    origin: 'incident/rules/all.yaml',
    pack: 'incident',
  },
}

/** two API processes of one deployment */
let apis: [TestApi, TestApi]

const database = testDatabase()
beforeAll(async () => {
  const engine = { start: async () => {}, decide: notAsked, cancel: notAsked, alive: notAsked }
  const services = { packs: { ...onePack(), rules: () => [SHIPPED] }, engine, policies: ALLOW }
  const open = () => createTestApi(database, { services })
  apis = [await open(), await open()]
  await addWorkspace(database, OTHER, 'other')
})
afterAll(async () => {
  for (const api of apis ?? []) await api.close()
})

const post = (text: string, headers: Record<string, string> = {}) =>
  sendYaml(apis[0], ['POST', TRIGGERS], text, headers)
/** The rule that an alert meets; a name that was not used before makes it another alert. */
let alerts = 0
async function ruleFor(api: TestApi, service: string, headers: Record<string, string> = {}): Promise<unknown> {
  alerts += 1
  const alert = { source: 'probe', service, symptom: `Down${alerts}` }
  const answer = await api.post('/triggers/alert', alert, headers)
  const { results } = (await answer.json()) as { results: { rule?: string }[] }
  return results[0]?.rule
}

describe('a rule that is authored', () => {
  it('is tried before those of packs, in every process within a second or so, and in its workspace alone', async () => {
    const [here, there] = apis
    expect([await ruleFor(here, 'shop'), await ruleFor(there, 'shop')]).toEqual(['everything', 'everything'])
    const answer = await post(RULE)
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${TRIGGERS}/shop-down`])
    const rule = ConsoleRule.parse(await answer.json())
    expect(rule).toMatchObject({ document: RULE, on: 'alert', run: 'incident/service-recovery', author: 'usr_local' })
    expect(await ruleFor(here, 'shop')).toBe('shop-down')
    await vi.waitFor(async () => expect(await ruleFor(there, 'shop')).toBe('shop-down'), PATIENCE)
    expect(await ruleFor(here, 'billing')).toBe('everything')
    expect(await ruleFor(here, 'shop', { 'x-svc-workspace': OTHER })).toBe('everything')
    expect(await auditOf(here, `console/${DEFAULT_WORKSPACE_ID}/rules/shop-down`)).toMatchObject([
      { action: 'rule.created', actor: { id: 'usr_local' }, data: { before: null, after: rule.digest } },
    ])
    expect(await codeOf(await post(RULE))).toEqual([409, 'conflict'])
  })

  it('goes by its name among those of the console', async () => {
    await post(RULE.replace('shop-down', 'a-first'))
    expect(await ruleFor(apis[0], 'shop')).toBe('a-first')
    await apis[0].app.request(`${TRIGGERS}/a-first`, { method: 'DELETE' })
    expect(await ruleFor(apis[0], 'shop')).toBe('shop-down')
  })

  it('is refused while it could not start anything, with its place and what was meant', async () => {
    for (const [text, line, hint] of [
      [RULE.replace('service-recovery', 'service-recvery'), 4, 'did you mean incident/service-recovery?'],
      [`${RULE}environment: prodution\n`, 5, 'did you mean production?'],
      [RULE.replace('match', 'mach'), 3, 'did you mean match?'],
      [RULE.replace('alert', 'alarm'), 2, 'takes alert, pattern or ingress'],
      [RULE.replace('service: shop', 'when: "alert.servce ==="'), 3, ''],
      [`${RULE}inputs: { url: "\${{ alert.servce }}" }\n`, 5, 'servce'],
    ] as const) {
      const answer = await post(text.replace('shop-down', 'broken'))
      const { code, errors } = (await answer.json()) as { code: string; errors: object[] }
      expect([answer.status, code], text).toEqual([422, 'validation_failed'])
      expect(errors).toEqual(
        expect.arrayContaining([expect.objectContaining({ line, msg: expect.stringContaining(hint) })]),
      )
    }
    for (const text of ['', '[]', `- ${RULE.replaceAll('\n', '\n  ')}`])
      expect(await codeOf(await post(text))).toEqual([422, 'validation_failed'])
    expect(await database.db`select from console_documents where name = 'broken'`).toHaveLength(0)
  })

  it('of an environment that its workspace may not use is refused as if there were none', async () => {
    const text = `${RULE.replace('shop-down', 'elsewhere')}environment: production\n`
    expect((await post(text)).status).toBe(201)
    expect(await codeOf(await post(text, { 'x-svc-workspace': OTHER }))).toEqual([422, 'validation_failed'])
  })
})

describe('alerts', () => {
  it('go on by the last known rules while the store of rules does not answer, and wait before any are known', async () => {
    const { createConsoleRules } = await import('#platform/rules/console-rules.ts')
    let answers = false
    let now = 0
    const source = createConsoleRules({
      load: async () => {
        if (!answers) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
        return [
          { name: 'shop-down', document: RULE, author: 'usr_ann' },
          { name: 'old', document: 'written: by another release', author: 'usr_ann' },
        ]
      },
      clock: () => now,
    })
    await expect(source.current('ws')).rejects.toThrow('away')
    answers = true
    const known = await source.current('ws')
    expect(known).toMatchObject([{ name: 'shop-down', layer: 'console', origin: 'usr_ann' }])
    answers = false
    now += 10_000
    expect(await source.current('ws')).toBe(known)
  })
})

it('replaces the text that was read, keeps the name', async () => {
  const world = await sharedWorld()
  const name = await world.rule()
  const owner = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const text = `name: ${name}\non: pattern\nrun: incident/service-recovery\n`
  const put = (document: string) => sendYaml(world.api, ['PUT', `/ui/api/triggers/${name}`], document, owner)
  const changed = await put(text)
  expect([changed.status, await changed.json()]).toMatchObject([200, { document: text, on: 'pattern' }])
  for (const wrong of [text.replace(name, 'other'), text.replace('pattern', 'patern'), ''])
    expect(await codeOf(await put(wrong))).toEqual([422, 'validation_failed'])
})

it('lists in the order in which they are tried, and says of what cannot be read why', async () => {
  const world = await sharedWorld()
  const { api, archived } = world
  for (const [name, document] of [
    ['b', 'name: b\non: alert\nrun: incident/service-recovery\n'],
    ['B', 'on: alert\n'],
  ] as const)
    await api.db`
      insert into console_documents (kind, workspace_id, name, document, author)
      values ('rule', ${archived}, ${name}, ${document}, 'usr_ann')`
  const answer = await api.get('/ui/api/triggers', { ...world.as('owner'), 'x-svc-workspace': archived })
  expect(answer.headers.get('x-total-count')).toBe('2')
  const [first, second] = (await answer.json()) as { name: string; on?: string; problems: object[] }[]
  expect([first?.name, first?.on, second?.name, second?.on]).toEqual(['B', undefined, 'b', 'alert'])
  expect(first?.problems).toEqual(expect.arrayContaining([expect.objectContaining({ line: 1 })]))
  expect(second?.problems).toEqual([])
})

const ALLOW = {
  effective: async () => ({
    snapshot_hash: 'sha256:0',
    decide: () => ({
      ...{ effect: 'allow_auto' as const, matched: [], dry_run: false, approval_roles: [], channels: [] },
      ...{ broken_policies: [], snapshot_hash: 'sha256:0' },
    }),
  }),
}

function notAsked(): Promise<never> {
  return Promise.reject(new Error('not asked'))
}
