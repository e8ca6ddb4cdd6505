import OpenAI from 'openai'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import type { PricedModel } from '#core/models/model.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import { proveAudit } from '#test/support/crash-record.ts'
import { CRASH_PACKS, killHard, startCrashRun } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { PRICES } from '#test/support/scripted-models.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const [CALLS, ROOM] = [50, 20]
const HELLO = { messages: [{ role: 'user' as const, content: 'hello' }], max_tokens: 10 }
const LIMITS = { context: 8_000, output: 100 }

let service: TestService
let upstream: ModelServer
let target: DemoService
let worst: number

beforeAll(async () => {
  upstream = await startModelServer()
  target = await startDemoService()
  const asked: PricedModel = {
    ...{ id: 'hang', model: 'hang', provider: 'openai_compatible', timeout_ms: 1, structured_outputs: true },
    ...{ prices: PRICES, limits: LIMITS },
  }
  const measuring = createModelUpstream({
    env: {},
    endpoint: { base_url: upstream.url, key: undefined },
    fetch: () => Promise.reject(new Error('nothing is sent')),
  })
  worst = (await measuring.prepare(measuring.reach(asked), HELLO, { stream: false })).worst_case_micro_usd
  const model = (id: string) =>
    `  - { id: ${id}, provider: openai_compatible, prices: { input: ${PRICES.input}, output: ${PRICES.output} }, limits: { context: ${LIMITS.context}, output: ${LIMITS.output} } }\n`
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    api: false,
    env: { SVC_PACKS_DIR: CRASH_PACKS, SVC_MODEL_BASE_URL: upstream.url },
    files: {
      'models.yaml': `models:\n${model('hang')}${model('echo')}roles: { default: echo }\n`,
      'environments/development.yaml': `name: development\negress: [loopback]\ncost_gate: { max_usd: ${((ROOM + 1) * worst) / 1_000_000} }\n`,
    },
  })
})
afterAll(async () => {
  await service?.stop()
  await target?.stop()
  await upstream?.stop()
})

async function books(id: string) {
  const [row] = await service.database.db<{ spent: number; reserved: number; cap: number }[]>`
    select llm_micro_usd as spent, reserved_micro_usd as reserved, cap_micro_usd as cap from runs where id = ${id}`
  return row ?? { spent: 0, reserved: 0, cap: 0 }
}

test('an API that dies with twenty calls under way leaves nothing reserved after a minute, and everything charged on record', async () => {
  const api = await service.startApi()
  const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const id = await startCrashRun(service, 'gated', { url: target.url })
  await service.until<RunBody>(`/runs/${id}`, ({ status }) => status === 'awaiting_approval')
  const forRun = { headers: { 'X-Svc-Run-Id': id } }
  expect((await client.chat.completions.create({ ...HELLO, model: 'default' }, forRun)).model).toBe('echo')
  const before = await books(id)
  const answered: (string | number)[] = []
  const ends = Array.from({ length: CALLS }, () =>
    client.chat.completions.create({ ...HELLO, model: 'hang' }, forRun).then(
      () => answered.push('answered'),
      (error: unknown) => answered.push(error instanceof OpenAI.APIError ? (error.status ?? 'cut') : 'cut'),
    ),
  )
  await expect.poll(() => answered.length, PATIENCE).toBe(CALLS - ROOM)
  expect(new Set(answered)).toEqual(new Set([402]))
  await expect.poll(() => upstream.received()['hang'], PATIENCE).toBe(ROOM)
  expect((await books(id)).reserved).toBe(ROOM * worst)
  await killHard(api)
  const died = Date.now()
  await Promise.all(ends)
  expect(answered.filter((each) => each === 'cut').length).toBe(ROOM)
  await expect.poll(async () => (await books(id)).reserved, PATIENCE).toBe(0)
  expect(Date.now() - died).toBeLessThan(60_000)
  const after = await books(id)
  expect(after).toEqual({ ...before, spent: before.spent + ROOM * worst, reserved: 0 })
  const [row] = await service.database.db<{ lost: number }[]>`
    select count(*)::int as lost from audit_outbox where draft ->> 'action' = 'model.called' and draft #>> '{data,outcome}' = 'lost'`
  expect(row?.lost).toBe(ROOM)
  // an API that comes after it has the room that is left, and no more
  await service.startApi()
  await expect(client.chat.completions.create({ ...HELLO, model: 'default' }, forRun)).rejects.toThrow(/402/)
  const less = { ...HELLO, model: 'default', max_tokens: 5 }
  expect((await client.chat.completions.create(less, forRun)).model).toBe('echo')
  await proveAudit(service.database.db, service.home)
})
