import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createIds } from '#platform/ids.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { type ModelWorld, openModelWorld } from '#test/support/model-world.ts'
import { itRefuses, type Prepare } from '#test/support/refused-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('probeModel')

const FILES = {
  'environments/judged.yaml': 'name: judged\nclass: development\n',
  'environments/live.yaml': 'name: live\nclass: production\n',
  'environments/poor.yaml': 'name: poor\nclass: development\ncost_gate: { max_usd: 0.001 }\n',
  'environments/iced.yaml':
    'name: iced\nclass: development\nfreeze: [{ name: winter, interval: { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z" }, scope: all }]\n',
}
const ids = createIds()
const places: Record<string, string> = {}

/** How each request named its limit. */
const limits: string[] = []
const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const VECTORS = { data: [{ index: 0, embedding: [0.5, 1] }], usage: { prompt_tokens: 3, total_tokens: 3 } }
/** As OpenAI refuses the field for its newer models. */
const picky = createServer(async (request, response) => {
  const body = (await json(request)) as { model: string }
  if (body.model === 'only-vectors') {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/v1/embeddings') return void response.end(JSON.stringify(VECTORS))
    response.writeHead(404)
    return void response.end(JSON.stringify({ error: { message: 'This is not a chat model.' } }))
  }
  const [field = ''] = Object.keys(body).filter((name) => name.startsWith('max_'))
  limits.push(field)
  response.setHeader('content-type', 'application/json')
  if (body.model !== 'takes-none' && field === 'max_completion_tokens') return void response.end(JSON.stringify(ANSWER))
  response.writeHead(400)
  response.end(
    JSON.stringify({ error: { message: `Unsupported parameter: '${field}' is not supported with this model.` } }),
  )
})

let world: ModelWorld
beforeAll(async () => {
  await new Promise<void>((resolve) => picky.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(picky.address() as AddressInfo).port}/v1`
  world = await openModelWorld(inject('postgres_url'), {
    files: FILES,
    roles: { default: { model: 'echo' }, embed: { model: 'only-vectors' } },
    change: (models) =>
      models.flatMap((each) => {
        if (each.id === 'slow') return [{ ...each, prices: undefined }]
        if (each.id !== 'echo') return [each]
        const there = (id: string) => ({ ...each, id, model: id, base_url })
        return [
          ...[each, { ...each, id: 'org/echo' }, there('takes-other'), there('takes-none')],
          ...[there('only-vectors'), { ...there('is-no-chat'), model: 'only-vectors' }],
          { ...there('told-other'), limit_field: 'max_completion_tokens' as const },
        ]
      }),
  })
  for (const environment of ['judged', 'live', 'poor', 'iced']) {
    const id = ids.next('workspace')
    places[environment] = id
    await addWorkspace(world.database, id, environment)
    await world.database.db`update workspaces set default_environment = ${environment} where id = ${id}`
  }
})
afterAll(async () => {
  await world?.close()
  picky.closeAllConnections()
  picky.close()
})

const probe = (model: string, headers: Record<string, string> = {}) =>
  world.api.post('/console/api/models/probe', { model }, headers)

describe('POST /console/api/models/probe', () => {
  it.each(['echo', 'org/echo', 'only-vectors'])(
    'asks %s one tiny question, which is paid for and on record',
    async (model) => {
      const before = (await world.calls()).length
      const answer = await probe(model)
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          ...{ model, ok: true, by: 'usr_local', at: expect.any(String) },
          ...{ latency_ms: expect.any(Number), cost_usd: expect.any(Number) },
        },
      ])
      const calls = (await world.calls()).slice(before)
      expect(calls).toMatchObject([{ model, state: 'settled', basis: 'reported' }])
      const actions = await world.database.db<{ action: string }[]>`
      select draft ->> 'action' as action from audit_outbox order by id desc limit 2`
      expect(actions.map(({ action }) => action)).toEqual(['model.probed', 'model.called'])
      const listed = (await (await world.api.get('/console/api/models')).json()) as {
        id: string
        last_probe?: object
      }[]
      expect(listed.find(({ id }) => id === model)?.last_probe).toMatchObject({ model, ok: true })
    },
  )

  it.each([
    ['bad-key', 'not_configured', /refuses the key/, 1],
    ['is-no-chat', 'not_configured', /404: This is not a chat model/, 1],
    ['refuses', 'validation_failed', /400/, 1],
    ['broken', 'dependency_unavailable', /500/, 1],
    ['busy', 'rate_limited', /429/, 1],
    ['hang', 'dependency_unavailable', /not answered in time/, 1],
    ['slow', 'not_configured', /no prices/, 0],
  ])('says of %s in a sentence what failed, and repeats nothing', async (model, code, message, attempts) => {
    const before = (await world.calls()).length
    const answer = await probe(model)
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { model, ok: false, failed: { code, message: expect.stringMatching(message) } },
    ])
    expect((await world.calls()).length - before).toBe(attempts)
  })

  it.each([
    ['takes-other', { ok: true, limit_field: 'max_completion_tokens' }, ['max_tokens', 'max_completion_tokens']],
    ['told-other', { ok: true }, ['max_completion_tokens']],
    ['takes-none', { ok: false, failed: { code: 'validation_failed' } }, ['max_tokens', 'max_completion_tokens']],
  ])('finds out once which field of the limit %s takes', async (model, found, fields) => {
    limits.length = 0
    const answer = await probe(model)
    const report = await answer.json()
    expect([answer.status, report]).toMatchObject([200, { model, ...found }])
    expect(Object.hasOwn(report as object, 'limit_field')).toBe(Object.hasOwn(found, 'limit_field'))
    expect(limits).toEqual(fields)
    const [audited] = await world.database.db<{ data: object }[]>`
      select draft -> 'data' as data from audit_outbox where draft ->> 'action' = 'model.probed' order by id desc limit 1`
    expect(audited?.data).toMatchObject(found)
  })

  it('knows no model that models.yaml does not have, and none by a role', async () => {
    for (const name of ['gpt-9', 'default']) expect((await probe(name)).status).toBe(404)
  })
})

const asked =
  (environment: string): Prepare<ModelWorld> =>
  () =>
  () =>
    probe('echo', { 'x-svc-workspace': places[environment] ?? '' })

const judged =
  (effect: 'deny'): Prepare<ModelWorld> =>
  (place, route) => {
    place.judge(effect)
    return asked('judged')(place, route)
  }

itRefuses('probeModel', () => world, [
  [402, 'BudgetExceeded', asked('poor')],
  [403, 'policy_denied', judged('deny')],
  [409, 'needs_approval', asked('live')],
  [403, 'frozen', asked('iced')],
  [
    423,
    'halted',
    async () => {
      await world.database.db`
        insert into halts (id, environment, reason, set_by) values (${`halt_${'0'.repeat(26)}`}, 'development', 'a drill', '{}')`
      return () => probe('echo')
    },
  ],
])
