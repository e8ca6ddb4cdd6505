import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { exitSignal, killHard } from '#test/support/crash-service.ts'
import { type CutLine, layLine } from '#test/support/cut-line.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type AlertReply, awaiting, postAlert, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { signers } from '#test/support/webhook-signers.ts'

const DURABLE = { OBS_TRIGGER_DURABLE: '1', SVC_SECRET_KEY: 'a master key of this test, long enough' }
const GITHUB = 'the secret of the repository'
const SERVICES = 4
const EACH = 10

interface Item {
  id: string
  status: string
  attempts: number
  run_id?: string
  body?: { alerts: { labels: { service: string } }[] }
}
type Answer = AlertReply & { delivery_id?: string; outcome?: string; code?: string }

let demo: DemoService

beforeAll(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(() => demo.stop())

/** The service with a line to Temporal that can be cut. */
async function startCuttable(env: Record<string, string>): Promise<{ service: TestService; temporal: CutLine }> {
  const temporal_address = inject('temporal_address')
  const temporal = await layLine(temporal_address)
  const service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address,
    env: { ...env, TEMPORAL_ADDRESS: temporal.address },
  })
  return { service, temporal }
}

async function stopCuttable(service: TestService | undefined, line: CutLine | undefined): Promise<void> {
  line?.mend()
  await service?.stop()
  await line?.stop()
}

async function fire(to: TestService, name: string): Promise<{ status: number; headers: Headers; body: Answer }> {
  return await postAlert(to, demo, { name })
}

/** What GitHub posts when a deployment of the demo service has failed, signed. */
async function deploy(to: TestService, name: string, id: string): Promise<Awaited<ReturnType<typeof fire>>> {
  const body = JSON.stringify({
    repository: { full_name: name },
    deployment: { environment: 'production', sha: id },
    deployment_status: { state: 'failure', environment_url: demo.url },
  })
  const signed = signers.github({ body: Buffer.from(body), secret: GITHUB, at_s: 0, id })
  return await to.call('POST', '/triggers/ingress/sre/github-deployments', body, signed)
}

/** Fires until the answer is the one that is waited for; every answer on the way. */
async function fireUntil(to: TestService, name: string, done: (answer: Awaited<ReturnType<typeof fire>>) => boolean) {
  const answers: Awaited<ReturnType<typeof fire>>[] = []
  const deadline = Date.now() + PATIENCE.timeout
  while (answers.length === 0 || !answers.slice(-1).every(done)) {
    if (Date.now() > deadline) throw new Error(`not answered so: ${JSON.stringify(answers.at(-1)?.body)}`)
    answers.push(await fire(to, name))
  }
  return answers
}

const waiting = (to: TestService) => to.call<Item[]>('GET', '/triggers/inbox?status=received&limit=200')
const parked = (to: TestService, count: number) =>
  to.until<RunBody[]>('/runs?status=awaiting_approval&limit=200', (runs) => runs.length === count, PATIENCE.timeout)

describe('Temporal is away, with an inbox', () => {
  let service: TestService
  let temporal: CutLine

  beforeAll(async () => {
    ;({ service, temporal } = await startCuttable({ ...DURABLE, SVC_GITHUB_WEBHOOK_SECRET: GITHUB }))
  })
  afterAll(() => stopCuttable(service, temporal))

  test('every alert is accepted, none is lost, all start in their order, counts are exact', async () => {
    expect((await fire(service, 'before')).body).toMatchObject({ results: [{ outcome: 'started' }] })
    temporal.cut()
    const meanwhile = await fireUntil(service, 'meanwhile', ({ body }) => body.outcome === 'received')
    const during: Awaited<ReturnType<typeof fire>>[] = []
    for (let n = 0; n < SERVICES * EACH; n++) during.push(await fire(service, `during-${n % SERVICES}`))
    expect(new Set([...meanwhile, ...during].map(({ status }) => status))).toEqual(new Set([202]))
    for (const { body } of during) {
      expect(body).toEqual({ delivery_id: expect.stringMatching(/^dlv_/), outcome: 'received', results: [] })
    }
    expect((await waiting(service)).headers.get('x-total-count')).toBe(String(during.length + 1))

    temporal.mend()
    await service.until<Item[]>('/triggers/inbox?status=received', (items) => items.length === 0, PATIENCE.timeout)
    const runs = await parked(service, 2 + SERVICES)
    const alerts = 1 + meanwhile.length + during.length
    expect(runs.reduce((sum, run) => sum + 1 + run.attached_count, 0)).toBe(alerts)
    const { body: items } = await service.call<Item[]>('GET', '/triggers/inbox?body=1&limit=200')
    const later = items.toReversed().slice(-during.length)
    expect(later.map((item) => item.id)).toEqual(during.map(({ body }) => body.delivery_id))
    expect(later.map((item) => item.body?.alerts[0]?.labels.service)).toEqual(
      during.map((_, n) => `during-${n % SERVICES}`),
    )
    expect(later.map((item) => item.status)).toEqual(during.map((_, n) => (n < SERVICES ? 'started' : 'attached')))
    const started = later.slice(0, SERVICES).map((item) => item.run_id)
    expect(started).toEqual(started.toSorted())
    expect((await fire(service, 'after')).body).toMatchObject({ results: [{ outcome: 'started' }] })
  })

  test('every signed delivery is accepted once, starts in its order and may be replayed', async () => {
    temporal.cut()
    await fireUntil(service, 'meanwhile', ({ body }) => body.outcome === 'received')
    const during: Awaited<ReturnType<typeof fire>>[] = []
    for (let n = 0; n < EACH; n++) during.push(await deploy(service, `acme/shop-${n % 2}`, `guid-${n}`))
    for (const { status, body } of during) {
      expect(status).toBe(202)
      expect(body).toEqual({ delivery_id: expect.stringMatching(/^dlv_/), outcome: 'received', results: [] })
    }
    const again = await deploy(service, 'acme/shop-0', 'guid-0')
    expect(again.body).toEqual(during[0]?.body)

    temporal.mend()
    await service.until<Item[]>('/triggers/inbox?status=received', (items) => items.length === 0, PATIENCE.timeout)
    const route = '/triggers/ingress/sre/github-deployments'
    const { body: items } = await service.call<Item[]>('GET', `/triggers/inbox?route=${route}`)
    const inOrder = items.toReversed()
    expect(inOrder.map((item) => item.id)).toEqual(during.map(({ body }) => body.delivery_id))
    expect(inOrder.map((item) => item.status)).toEqual(during.map((_, n) => (n < 2 ? 'started' : 'attached')))
    expect((await deploy(service, 'acme/shop-0', 'guid-0')).body).toEqual(during[0]?.body)
    const { body: run } = await service.call<RunBody>('GET', `/runs/${inOrder[0]?.run_id}`)
    expect(run.attached_count).toBe(EACH / 2 - 1)
    const replay = (mode: string) =>
      service.call<object[]>('POST', '/triggers/inbox/replay', { mode, ids: [inOrder[0]?.id ?? ''] })
    expect((await replay('if_no_run')).body).toMatchObject([{ outcome: 'skipped' }])
    expect((await replay('force')).body).toMatchObject([{ outcome: 'attached', run_id: run.id }])
  })
})

test('Temporal is away, without an inbox: nothing is accepted, the sender is told when to come again, and there are no inbox routes', async () => {
  const { service, temporal } = await startCuttable({ SVC_GITHUB_WEBHOOK_SECRET: GITHUB })
  try {
    const inbox = await service.call('GET', '/triggers/inbox')
    expect(inbox).toMatchObject({ status: 501, body: { code: 'not_configured' } })
    temporal.cut()
    const answers = await fireUntil(service, 'refused', ({ status }) => status !== 202)
    const refused = answers.at(-1)
    expect(refused).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    const signed = await deploy(service, 'acme/shop', 'guid-1')
    expect(signed).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
    temporal.mend()
    await fireUntil(service, 'refused', ({ status }) => status === 202)
    expect((await deploy(service, 'acme/shop', 'guid-1')).body.outcome).toBe('started')
  } finally {
    await stopCuttable(service, temporal)
  }
})

test('PostgreSQL is away: nothing can be kept, so nothing is accepted', async () => {
  const service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    api: false,
  })
  const url = new URL(service.database.url)
  const postgres = await layLine(url.host)
  try {
    url.host = postgres.address
    await service.startApi({ ...DURABLE, DATABASE_URL: url.toString() })
    expect((await fire(service, 'kept')).status).toBe(202)
    postgres.cut()
    expect(await fire(service, 'not-kept')).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } })
    postgres.mend()
    await fireUntil(service, 'kept', ({ status }) => status === 202)
  } finally {
    await stopCuttable(service, postgres)
  }
})

describe('kill -9 of the API', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: DURABLE,
      api: false,
    })
  })
  afterAll(() => service?.stop())

  test.each(['inbox_committed', 'inbox_processed'])(
    'at %s: the delivery is processed once by the next start',
    async (point) => {
      const { db } = service.database
      const [before] = await db<{ items: number; runs: number }[]>`
        select (select count(*)::int from inbox_items) as items, (select count(*)::int from runs) as runs`
      const { items = 0, runs = 0 } = before ?? {}
      const dying = await service.startApi({ SVC_KILL_POINT: point })
      const gone = exitSignal(dying)
      await expect(fire(service, `killed at ${point}`)).rejects.toThrow()
      expect(await gone).toBe('SIGKILL')
      // as if the time had passed after which anyone who holds a delivery counts as dead
      await db`update inbox_items set claimed_until = now() where status = 'received'`
      const next = await service.startApi()
      const [item] = await service.until<Item[]>(
        '/triggers/inbox',
        (list) => list.length === items + 1 && list.every((each) => each.status !== 'received'),
      )
      expect(item).toMatchObject({ status: 'started', attempts: 2 })
      const run = await awaiting(service, item?.run_id ?? '')
      expect(run).toMatchObject({ id: item?.run_id, attached_count: 0 })
      const { headers } = await service.call('GET', '/runs')
      expect(headers.get('x-total-count')).toBe(String(runs + 1))
      await killHard(next)
    },
  )
})
