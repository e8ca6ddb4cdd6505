import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem } from '#api/schemas/inbox.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { createIngressApi, HOOK, SECRETS } from '#test/support/ingress.ts'
import { signers } from '#test/support/webhook-signers.ts'

const LARGE = '1184467440737095516'
const ALERT = '/triggers/alert'
const ProblemText = ProblemDocument.pick({ code: true, errors: true, detail: true })
/** MCP says it in the words of JSON-RPC. */
const Refusal = ProblemText.or(
  z
    .object({ error: z.object({ message: z.string(), data: ProblemText.omit({ detail: true }) }) })
    .transform(({ error }) => ({ ...error.data, detail: error.message })),
)
const RULE = {
  name: 'every-alert',
  on: 'alert',
  run: 'sre/service-recovery',
  inputs: { url: 'https://shop.example.test' },
}

let away = false

const database = testDatabase()
const inbox = fileFixture(() => createTestInbox(database))
const api = fileFixture(() => createIngressApi(database, { intake: { inbox, away: () => away } }))
beforeAll(async () => {
  expect((await api.post('/ui/api/triggers', RULE)).status).toBe(201)
})

const send = (method: string, path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  api.app.request(path, { method, body, headers: { 'content-type': 'application/json', ...headers } })
const signedOrder = (body: Buffer) => ({
  'x-title': 'An order failed',
  ...signers.standard({ body, secret: SECRETS.new, at_s: Math.floor(Date.now() / 1_000), id: randomUUID() }),
})
const listed = async () => z.array(InboxItem).parse(await (await api.get('/triggers/inbox?body=1')).json())
const newest = async () => (await listed())[0] ?? expect.fail('the inbox is empty')
const alert = (rest: string, symptom = 'Exact') =>
  `{"source":"shop","service":"orders","symptom":"${symptom}","status":"firing"${rest}}`

describe('a number that would be rounded', () => {
  it.each([
    [
      'a start',
      'POST',
      '/packs/sre/service-recovery/run',
      `{"inputs":{"order":{"ids":[1,${LARGE}]}}}`,
      '/inputs/order/ids/1',
    ],
    [
      'a start by hand',
      'POST',
      '/triggers/manual',
      `{"pack":"sre","template":"service-recovery","inputs":{"order":${LARGE}}}`,
      '/inputs/order',
    ],
    ['a preset', 'POST', '/console/api/input-presets', `{"inputs":{"order":0.10000000000000001}}`, '/inputs/order'],
    ['a schedule', 'POST', '/triggers/scheduled', `{"inputs":{"order":1e400}}`, '/inputs/order'],
    [
      'a check of inputs',
      'POST',
      '/packs/sre/service-recovery/validate',
      `{"inputs":{"order":${LARGE}}}`,
      '/inputs/order',
    ],
    [
      'a delivery that is put in by hand',
      'POST',
      '/triggers/inbox',
      `{"route":"${ALERT}","body":{"id":${LARGE}}}`,
      '/body/id',
    ],
    [
      'a tool',
      'POST',
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listRuns","arguments":{"limit":${LARGE}}}}`,
      '/params/arguments/limit',
    ],
  ])('in %s is refused with its pointer', async (_what, method, path, body, pointer) => {
    const answer = await send(method, path, body)
    const { code, errors, detail } = Refusal.parse(await answer.json())
    expect([answer.status, code, errors?.map((each) => each.pointer)]).toEqual([422, 'validation_failed', [pointer]])
    expect(detail).toContain('send it as text')
  })

  it.each([false, true])('of an alert is kept as text; processed later: %s', async (later) => {
    away = later
    const symptom = `Number${later}`
    const body = alert(`,"labels":{"order":${LARGE},"ratio":0.10000000000000001,"count":7}`, symptom)
    expect((await send('POST', ALERT, body)).status).toBe(202)
    away = false
    await drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => true })
    const { status, run_id, body: shown } = await newest()
    expect(status).toBe('started')
    expect(shown).toMatchObject({ labels: { order: LARGE, ratio: '0.10000000000000001', count: 7 } })
    const { trigger } = z
      .looseObject({ trigger: z.looseObject({ alert: z.looseObject({ labels: z.record(z.string(), z.string()) }) }) })
      .parse(await (await api.get(`/runs/${run_id}`)).json())
    expect(trigger.alert.labels).toEqual({ order: LARGE, ratio: '0.10000000000000001', count: '7' })
  })

  it('of two signed deliveries keeps them apart', async () => {
    const runs = await Promise.all(
      ['9007199254740993', '9007199254740992'].map(async (id) => {
        const body = Buffer.from(`{"service":${id},"odd\\u0000name":"half \\ud800","__proto__":{"a":1}}`)
        const answer = await send('POST', '/triggers/ingress/sre/orders', body, signedOrder(body))
        const { outcome, run_id } = z
          .looseObject({ outcome: z.string(), run_id: z.string() })
          .parse(await answer.json())
        expect(outcome).toBe('started')
        return run_id
      }),
    )
    expect(new Set(runs).size).toBe(2)
  })
})

describe('text that cannot be stored', () => {
  it('is escaped wherever it stands in an alert', async () => {
    const rest =
      ',"title":"nul \\u0000","description":"half \\ud800","vendor":{"deep\\u0000":["\\udc00",{"__proto__":1}]}'
    expect((await send('POST', ALERT, alert(rest, 'Odd'))).status).toBe(202)
    expect(await newest()).toMatchObject({
      status: 'started',
      body: {
        title: 'nul \\u0000',
        description: 'half \ufffd',
        vendor: { 'deep\\u0000': ['\ufffd', { '"__proto__"': 1 }] },
      },
    })
  })
})

describe('a delivery that is refused', () => {
  it.each([
    ['no JSON', '{"a": \u0000', {}, 'malformed_body'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}, 'malformed_body'],
    ['too deep', '['.repeat(100), {}, 'malformed_body'],
    ['of another type', 'x', { 'content-type': 'text/plain' }, 'unsupported_media_type'],
  ])('is listed with its reason: %s', async (_what, body, headers, code) => {
    for (const [path, signature] of [
      [ALERT, {}],
      [HOOK, signers.github({ body: Buffer.from(body), secret: SECRETS.github, at_s: 0, id: randomUUID() })],
    ] as const) {
      const before = (await listed()).length
      const answer = await send('POST', path, body, { ...headers, ...signature })
      const problem = ProblemDocument.parse(await answer.json())
      expect(problem.code).toBe(code)
      expect((await listed()).length).toBe(before + 1)
      expect(await newest()).toMatchObject({ route: path, status: 'failed', error: { code, message: problem.detail } })
    }
  })

  it('is not listed where its signature does not fit', async () => {
    const before = (await listed()).length
    expect((await send('POST', '/triggers/ingress/sre/orders', '{')).status).toBe(401)
    expect((await listed()).length).toBe(before)
  })
})
