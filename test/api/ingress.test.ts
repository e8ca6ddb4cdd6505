import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { createRateLimit } from '#api/rate-limit.ts'
import { serveApi } from '#api/server.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { IngressSpec } from '#core/ingress/ingress-schema.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createIds } from '#platform/ids.ts'
import { createIngressDoor, type IngressDoor } from '#platform/ingress/ingress-door.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import { createIngressDeliveries } from '#store/ingress-deliveries.ts'
import { createTestApi, finishTestRun, type TestApi, type TestApiOptions } from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { selfSigned } from '../support/self-signed.ts'
import { addWorkspace } from '../support/tenants.ts'
import { SECRET as TOKEN_SECRET } from '../support/users.ts'
import { signers, snsMessage } from '../support/webhook-signers.ts'

const GITHUB = 'the secret of the repository'
const NEW = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`
const OLD = `whsec_${Buffer.from('the one that was used before ...').toString('base64')}`
const SLACK = 'the signing secret of an app'
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms'
const ENV = { SVC_GITHUB_WEBHOOK_SECRET: GITHUB, NEW, OLD, SLACK, TOPIC }
const amazon = selfSigned('sns.amazonaws.com', { from: new Date('2020-01-01'), to: new Date('2099-01-01') })
/** The network as far as these tests go: Amazon's certificate. */
const egress = {
  request: async () => ({ status: 200, headers: {}, body: Buffer.from(amazon.certificate), remote_address: '', ms: 1 }),
}
const HOOK = '/triggers/ingress/sre/github-deployments'
const OTHER = 'ws_00000000000000000000000001'
const ARCHIVED = 'ws_00000000000000000000000002'

let database: TestDatabase
let pack: LoadedPack
let api: TestApi
let guarded: TestApi
let opened = 0

function extra(changes: object): Ingress {
  const spec = IngressSpec.parse({
    name: 'orders',
    verify: { scheme: 'standard-webhooks', secret: ['env:NEW', 'env:OLD'] },
    normalize: { service: 'body.service', symptom: '"OrderFailed"', title: 'headers["x-title"]' },
    rules: [
      { name: 'orders', on: 'ingress', run: 'sre/service-recovery', inputs: { url: 'https://shop.example.test' } },
    ],
    ...changes,
  })
  const origin = { layer: 'pack', origin: 'sre/pack.yaml', pack: 'sre' } as const
  return { ...spec, pack: 'sre', rules: spec.rules.map((rule) => ({ ...rule, ...origin })) }
}

function registry(): PackRegistry {
  return {
    list: () => [pack],
    errors: () => [],
    findTemplate: (of, name) => pack.templates.find((each) => each.pack === of && each.template === name),
    rules: () => [],
    policies: () => [],
    onChange: () => () => {},
    reload: () => {},
    close: () => {},
  }
}

async function apiWith(options: TestApiOptions): Promise<TestApi> {
  const door = createIngressDoor({ packs: registry(), env: ENV, egress, now: Date.now })
  const counted: IngressDoor = {
    find: door.find,
    open(ingress, delivery) {
      opened += 1
      return door.open(ingress, delivery)
    },
  }
  return await createTestApi(database, {
    ...options,
    services: { packs: registry() },
    ingress: { door: counted, ...options.ingress },
  })
}

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  const catalog = createOperators({ egress: createEgressClient() })
  const loaded = loadPack(join(import.meta.dirname, '../../packs/sre'), catalog)
  if (loaded.pack === undefined) throw new Error(JSON.stringify(loaded.faults))
  const off = extra({ name: 'off', enabled: false })
  const unset = extra({ name: 'unset', verify: { scheme: 'github', secret: 'env:NOBODY_SET_IT' } })
  const form = extra({
    name: 'form',
    verify: { scheme: 'slack', secret: 'env:SLACK' },
    normalize: { service: 'body.payload.service', symptom: 'body.command' },
  })
  const alarms = extra({
    name: 'alarms',
    verify: { scheme: 'sns', topic: 'env:TOPIC' },
    normalize: { service: 'body.Message.AlarmName', symptom: 'body.?Extra.orValue("Alarm")' },
  })
  const limited = extra({
    name: 'limited',
    verify: { scheme: 'github', secret: 'env:SVC_GITHUB_WEBHOOK_SECRET' },
    rules: [
      {
        name: 'limited',
        on: 'ingress',
        run: 'sre/service-recovery',
        inputs: { url: 'https://shop.example.test' },
        limits: { cooldown: '1h' },
      },
    ],
  })
  pack = { ...loaded.pack, ingress: [...loaded.pack.ingress, extra({}), off, unset, form, alarms, limited] }
  api = await apiWith({})
  guarded = await apiWith({ secret: TOKEN_SECRET })
  await addWorkspace(database, OTHER, 'other')
  await addWorkspace(database, ARCHIVED, 'archived')
  await database.db`update workspaces set status = 'archived', archived_at = now() where id = ${ARCHIVED}`
})
afterAll(async () => {
  await api?.close()
  await guarded?.close()
  await database?.drop()
})

interface Event {
  service: string
  state?: string
  note?: string
}

/** What GitHub posts for a deployment status, as far as it matters here. */
function deployment({ service, state = 'failure', note }: Event): string {
  return JSON.stringify({
    action: 'created',
    repository: { full_name: `acme/${service}` },
    deployment: { environment: 'production', sha: 'abc' },
    deployment_status: { state, environment_url: 'https://shop.example.test', description: note ?? randomUUID() },
  })
}

/** An answer, or a problem document. */
interface Answer {
  delivery_id?: string
  outcome?: string
  run_id?: string
  code?: string
  detail?: string
}

interface Post {
  path?: string
  id?: string
  headers?: Record<string, string>
}

async function post(to: TestApi, body: string, { path = HOOK, id = randomUUID(), headers = {} }: Post = {}) {
  const signed = signers.github({ body: Buffer.from(body), secret: GITHUB, at_s: 0, id })
  const response = await to.app.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-github-event': 'deployment_status', ...signed, ...headers },
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer }
}

const order = (to: TestApi, body: string, secret: string, { id = randomUUID(), headers = {} }: Post = {}) => {
  const signed = signers.standard({ body: Buffer.from(body), secret, at_s: Math.floor(Date.now() / 1_000), id })
  return to.app.request('/triggers/ingress/sre/orders', {
    method: 'POST',
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', 'x-title': 'An order failed', ...signed, ...headers },
  })
}

const runsOf = (service: string) =>
  database.db<{ id: string; workspace_id: string; provenance: { trigger: object; actor: object }; inputs: object }[]>`
    select id, workspace_id, provenance, inputs from runs where fingerprint like ${`%${service}%`} order by id`

describe('a signed delivery', () => {
  it('starts the run of its rule, with where it came from', async () => {
    const answer = await post(api, deployment({ service: 'first' }), { id: 'guid-1' })
    expect(answer).toMatchObject({ status: 202, body: { outcome: 'started', rule: 'deployment-failed' } })
    expect(answer.body.delivery_id).toMatch(/^dlv_/)
    const [run] = await runsOf('first')
    expect(run).toMatchObject({
      id: answer.body.run_id,
      workspace_id: DEFAULT_WORKSPACE_ID,
      inputs: { url: 'https://shop.example.test', service: 'acme/first', action: 'rollback' },
      provenance: {
        trigger: {
          type: 'ingress',
          id: 'sre/github-deployments',
          delivery_id: answer.body.delivery_id,
          provider_delivery_id: 'guid-1',
          source: 'sre/github-deployments',
          rule: 'deployment-failed',
        },
        actor: { type: 'service', id: 'ingress:sre/github-deployments' },
      },
    })
  })

  it('attaches to the active run of its fingerprint', async () => {
    const first = await post(api, deployment({ service: 'attached' }))
    const second = await post(api, deployment({ service: 'attached' }))
    expect(second.body).toMatchObject({ outcome: 'attached', run_id: first.body.run_id, attached_count: 1 })
    expect(second.body.delivery_id).not.toBe(first.body.delivery_id)
  })

  it('that is repeated gets the first answer and starts nothing, also under another unsigned id', async () => {
    const body = deployment({ service: 'repeated' })
    const first = await post(api, body, { id: 'guid-2' })
    expect((await post(api, body, { id: 'guid-2' })).body).toEqual(first.body)
    expect((await post(api, body, { id: 'made-up' })).body).toEqual(first.body)
    const alerts = await database.db`select from run_alerts where run_id = ${first.body.run_id ?? ''}`
    expect(alerts).toHaveLength(1)
  })

  it('that arrives many times at once is handled once', async () => {
    const body = deployment({ service: 'at-once' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(api, body)))
    for (const { status } of answers) expect([202, 409]).toContain(status)
    const ids = answers.filter(({ status }) => status === 202).map((each) => each.body.delivery_id)
    expect(new Set(ids).size).toBe(1)
    const alerts =
      await database.db`select from run_alerts a join runs r on r.id = a.run_id where r.fingerprint like '%at-once%'`
    expect(alerts).toHaveLength(1)
  })

  it('whose process died after the run had started is answered with that run', async () => {
    const body = deployment({ service: 'died' })
    const first = await post(api, body)
    const { delivery_id = '', run_id = '' } = first.body
    await database.db`
      update ingress_deliveries set answer = null, claimed_at = now() - interval '2 minutes' where delivery_id = ${delivery_id}`
    expect((await post(api, body)).body).toEqual({ delivery_id, outcome: 'started', run_id })
    expect(await database.db`select from run_alerts where run_id = ${run_id}`).toHaveLength(1)
  })

  it('is remembered for three days', async () => {
    const body = deployment({ service: 'remembered' })
    const { delivery_id = '' } = (await post(api, body)).body
    const deliveries = createIngressDeliveries(database.db)
    await deliveries.purge()
    expect((await post(api, body)).body.delivery_id).toBe(delivery_id)
    await database.db`
      update ingress_deliveries set received_at = now() - interval '73 hours' where delivery_id = ${delivery_id}`
    const later = await post(api, body)
    expect(later.body).toMatchObject({ outcome: 'attached' })
    expect(later.body.delivery_id).not.toBe(delivery_id)
    await database.db`
      update ingress_deliveries set received_at = now() - interval '73 hours' where delivery_id = ${later.body.delivery_id ?? ''}`
    await deliveries.purge()
    expect(
      await database.db`select from ingress_deliveries where delivery_id = ${later.body.delivery_id ?? ''}`,
    ).toHaveLength(0)
  })

  it('of a recovery is noted on the run, and is unmatched without one', async () => {
    const failed = await post(api, deployment({ service: 'recovered' }))
    const recovered = await post(api, deployment({ service: 'recovered', state: 'success' }))
    expect(recovered.body).toMatchObject({ outcome: 'resolved', run_id: failed.body.run_id })
    expect((await post(api, deployment({ service: 'healthy', state: 'success' }))).body.outcome).toBe('unmatched')
  })

  it('that is none of its business is suppressed; one that lacks what is needed is unmatched and says what', async () => {
    expect((await post(api, deployment({ service: 'a', state: 'pending' }))).body.outcome).toBe('suppressed')
    expect((await post(api, JSON.stringify({ zen: 'Design for failure.' }))).body.outcome).toBe('suppressed')
    const half = JSON.stringify({ deployment_status: { state: 'failure' } })
    expect((await post(api, half)).body).toMatchObject({
      outcome: 'unmatched',
      detail: expect.stringMatching(/^service: /),
    })
  })

  it('is verified over its exact bytes: a byte order mark and line ends count', async () => {
    const answer = await post(api, `\uFEFF${deployment({ service: 'bytes' })}\r\n`)
    expect(answer).toMatchObject({ status: 202, body: { outcome: 'started' } })
  })

  it('may be signed with the new or the old of two secrets, and with no other', async () => {
    for (const secret of [NEW, OLD]) {
      const response = await order(api, '{"service":"rotated"}', secret)
      expect(response.status).toBe(202)
      expect(await response.json()).toMatchObject({ outcome: expect.stringMatching(/^(started|attached)$/) })
    }
    const other = `whsec_${Buffer.from('of somebody whom nobody knows ..').toString('base64')}`
    expect((await order(api, '{"service":"rotated"}', other)).status).toBe(401)
  })

  it('is throttled by the limits of its rule', async () => {
    const send = (n: number) =>
      post(api, JSON.stringify({ service: 'limited', n }), {
        path: '/triggers/ingress/sre/limited',
        headers: { 'x-title': 'An order failed' },
      })
    const first = await send(1)
    expect(first.body.outcome).toBe('started')
    await api.runs.take(first.body.run_id ?? '', [{ key: 'run/started', type: 'run.started' }])
    await finishTestRun(api, first.body.run_id ?? '')
    expect((await send(2)).body).toMatchObject({ outcome: 'throttled', rule: 'limited' })
    expect(await runsOf('limited|orderfailed')).toHaveLength(1)
  })

  it('with a signed id that was seen gets the first answer, whatever it says', async () => {
    const first = await (await order(api, '{"service":"signed-id"}', NEW, { id: 'msg_1' })).json()
    expect(await (await order(api, '{"service":"another"}', NEW, { id: 'msg_1' })).json()).toEqual(first)
    expect(await runsOf('another')).toHaveLength(0)
  })
})

describe('what is not JSON by its type', () => {
  it('is read as a form, with its payload', async () => {
    const payload = JSON.stringify({ service: 'form & field' })
    const body = `command=%2Fdeploy&payload=${encodeURIComponent(payload)}`
    const signed = signers.slack({
      body: Buffer.from(body),
      secret: SLACK,
      at_s: Math.floor(Date.now() / 1_000),
      id: '',
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signed }
    const send = (text: string) =>
      api.app.request('/triggers/ingress/sre/form', { method: 'POST', body: text, headers })
    expect(await (await send(body)).json()).toMatchObject({ outcome: 'started' })
    expect(await runsOf('form & field|/deploy')).toHaveLength(1)
    expect((await send(`${body}&command=other`)).status).toBe(401)
  })

  it('is read as a message of SNS, of which only the signed part counts; a subscription is never confirmed', async () => {
    const url = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-abc.pem'
    const send = async (fields: Record<string, string>, unsigned = {}) => {
      const whole = { TopicArn: TOPIC, MessageId: randomUUID(), Timestamp: new Date().toISOString(), ...fields }
      const text = snsMessage({ key: amazon.private_key, version: '2', url }, whole)
      const response = await api.app.request('/triggers/ingress/sre/alarms', {
        method: 'POST',
        body: JSON.stringify({ ...JSON.parse(text), ...unsigned }),
        headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': fields['Type'] ?? '' },
      })
      return { status: response.status, body: (await response.json()) as Answer }
    }
    const alarm = { Type: 'Notification', Message: JSON.stringify({ AlarmName: 'queue-depth' }) }
    expect(await send(alarm, { Extra: 'Forged' })).toMatchObject({ status: 202, body: { outcome: 'started' } })
    expect(await runsOf('queue-depth|alarm')).toHaveLength(1)
    expect((await send({ ...alarm, TopicArn: `${TOPIC}-of-others` })).status).toBe(401)
    const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc'
    const asked = await send({ Type: 'SubscriptionConfirmation', Message: 'Confirm', Token: 'abc', SubscribeURL })
    expect(asked).toMatchObject({ status: 202, body: { outcome: 'suppressed' } })
    expect(api.lines).toContainEqual(
      expect.objectContaining({ fields: { ingress: 'sre/alarms', confirm_url: SubscribeURL } }),
    )
  })

  it('is refused otherwise', async () => {
    const answer = await post(api, '<a/>', { headers: { 'content-type': 'application/xml' } })
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  })
})

describe('what is refused', () => {
  it('has another signature, none, or two: 401, and nothing is kept', async () => {
    const body = deployment({ service: 'forged' })
    const wrong = signers.github({ body: Buffer.from(body), secret: 'wrong', at_s: 0, id: 'x' })
    expect((await post(api, body, { headers: wrong })).status).toBe(401)
    expect((await post(api, body, { headers: { 'X-Hub-Signature-256': '' } })).status).toBe(401)
    const twice = new Headers(signers.github({ body: Buffer.from(body), secret: GITHUB, at_s: 0, id: 'x' }))
    twice.append('x-hub-signature-256', twice.get('x-hub-signature-256') ?? '')
    twice.set('content-type', 'application/json')
    expect((await api.app.request(HOOK, { method: 'POST', body, headers: twice })).status).toBe(401)
    expect(await runsOf('forged')).toHaveLength(0)
  })

  it('goes to an ingress that is unknown or disabled: 404, in the same words', async () => {
    const bodies = await Promise.all(
      ['/triggers/ingress/sre/nothing', '/triggers/ingress/nobody/github-deployments', '/triggers/ingress/sre/off'].map(
        async (path) => {
          const { status, body } = await post(api, '{}', { path })
          return { status, detail: body.detail }
        },
      ),
    )
    expect(new Set(bodies.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(bodies[0]?.status).toBe(404)
  })

  it('finds no secret: 501, without saying which', async () => {
    const answer = await post(api, '{}', { path: '/triggers/ingress/sre/unset' })
    expect(answer).toMatchObject({ status: 501, body: { code: 'not_configured' } })
    expect(JSON.stringify(answer.body)).not.toContain('NOBODY_SET_IT')
  })

  it('is larger than 1 MiB by its own word or in truth: 413 before any signature is looked at', async () => {
    const before = opened
    const declared = await post(api, '{}', { headers: { 'content-length': String(100 * 1024 * 1024) } })
    expect(declared.status).toBe(413)
    expect((await post(api, JSON.stringify({ a: 'x'.repeat(1024 * 1024) }))).status).toBe(413)
    expect(opened).toBe(before)
  })

  it('comes too often: 429 with the time to wait, for the address that floods', async () => {
    const limited = await apiWith({ ingress: { limit: createRateLimit(1) } })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(limited, '{}', { headers: { 'X-Hub-Signature-256': 'sha256=00' } })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(10)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    await limited.close()
  })
})

describe('over a socket', () => {
  /** Sends the headers as they stand, also twice, and no more of the body than is given. */
  const send = (url: string, headers: [string, string][], body: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: headers.flat() }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.flushHeaders()
      sent.write(body)
    })

  it('a repeated header and a body that is declared too large are refused as they arrive', async () => {
    const server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
    const body = deployment({ service: 'socket' })
    const signed = Object.entries(signers.github({ body: Buffer.from(body), secret: GITHUB, at_s: 0, id: 'socket' }))
    const rest = (length: number): [string, string][] => [
      ['Host', new URL(server.url).host],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(length)],
    ]
    const length = Buffer.byteLength(body)
    expect(await send(`${server.url}${HOOK}`, [...rest(length), ...signed, ...signed], body)).toBe(401)
    const before = opened
    expect(await send(`${server.url}${HOOK}`, [...rest(100 * 1024 * 1024), ...signed], body)).toBe(413)
    expect(opened).toBe(before)
    expect(await send(`${server.url}${HOOK}`, [...rest(length), ...signed], body)).toBe(202)
    await server.close()
  })
})

describe('with authentication on', () => {
  it('a signature opens this door and no other', async () => {
    const body = deployment({ service: 'guarded' })
    const answer = await post(guarded, body)
    expect(answer).toMatchObject({ status: 202, body: { outcome: 'started' } })
    expect(answer.headers.get('authorization')).toBeNull()
    expect((await post(guarded, body, { path: '/triggers/alert' })).status).toBe(401)
    const forged = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }
    expect((await post(guarded, body, { headers: forged })).status).toBe(401)
  })

  it('the workspace is that of the path, else the default; unknown and archived ones are not entered', async () => {
    const inOther = await post(guarded, deployment({ service: 'elsewhere' }), { path: `/workspaces/${OTHER}${HOOK}` })
    expect(inOther.status).toBe(202)
    expect((await runsOf('elsewhere')).map((run) => run.workspace_id)).toEqual([OTHER])
    const unknown = 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz'
    expect((await post(guarded, deployment({ service: 'x' }), { path: `/workspaces/${unknown}${HOOK}` })).status).toBe(
      404,
    )
    const archived = await post(guarded, deployment({ service: 'x' }), { path: `/workspaces/${ARCHIVED}${HOOK}` })
    expect(archived.body.code).toBe('workspace_archived')
  })
})
