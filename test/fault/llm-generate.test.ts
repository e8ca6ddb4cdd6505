import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import { isTerminal, type RunStatus } from '#core/run/status.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { proveDays, proveLedger } from '#test/support/prove-ledger.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { PRICES } from '#test/support/scripted-models.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/models', import.meta.url))
const MODEL = `provider: openai_compatible, limits: { context: 20000, output: 100 }, prices: { input: ${PRICES.input}, output: ${PRICES.output} }`

let service: TestService
let upstream: ModelServer

beforeAll(async () => {
  upstream = await startModelServer()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    env: { SVC_PACKS_DIR: PACKS, SVC_MODEL_BASE_URL: upstream.url },
    files: {
      'models.yaml': `models:\n  - { id: hang-once, ${MODEL} }\n  - { id: hang, ${MODEL} }\n  - { id: fits, ${MODEL} }\n`,
      'environments/development.yaml':
        'name: development\nworkspaces: ["*"]\ncost_gate: { max_usd: 0.5, daily_usd: 100 }\n',
    },
  })
})
afterAll(async () => {
  await service?.stop()
  await upstream?.stop()
})

async function start(model: string): Promise<string> {
  const { status, body } = await service.call<RunBody>('POST', '/packs/questions/pick/run', { inputs: { model } })
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}
const asked = (model: string, times: number) => expect.poll(() => upstream.received()[model] ?? 0, PATIENCE).toBe(times)
const ended = (id: string) =>
  service.until<RunBody>(`/runs/${id}`, ({ status }) => isTerminal(status as RunStatus), PATIENCE.timeout)
const callsOf = (id: string) => service.database.db<
  { step_attempt: number; state: string; basis: string; reserved: number; charged: number }[]
>`
  select step_attempt, state, basis, reserved_micro_usd::int as reserved, charged_micro_usd::int as charged
  from model_calls where run_id = ${id} order by created_at, id`

test('a worker that dies in a call leaves it charged whole, and the step is asked once more under the same cap', async () => {
  const worker = await service.startWorker()
  const id = await start('hang-once')
  await asked('hang-once', 1)
  const [held] = await callsOf(id)
  expect(await proveLedger(service.database.db, id)).toMatchObject({ spent: 0, reserved: held?.reserved })
  await killHard(worker)
  const survivor = await service.startWorker()
  expect(await ended(id)).toMatchObject({ status: 'succeeded', outputs: { json: { action: 'restart' } } })
  await asked('hang-once', 2)

  const [lost, answered, ...more] = await callsOf(id)
  expect(more).toEqual([])
  expect(lost).toMatchObject({ step_attempt: 1, state: 'settled', basis: 'estimate', charged: held?.reserved })
  expect(answered).toMatchObject({ step_attempt: 2, state: 'settled', basis: 'reported' })
  const { attempts, spent } = await proveLedger(service.database.db, id)
  expect(attempts.map(({ attempt, basis }) => [attempt, basis])).toEqual([
    [1, 'estimate'],
    [2, 'reported'],
  ])
  expect(spent).toBe((lost?.charged ?? 0) + (answered?.charged ?? 0))
  await proveRunRecord(service.database.db, id)
  await proveDays(service.database.db)
  const rows = await service.database.db<{ outcome: string; attempt: number }[]>`
    select draft #>> '{data,outcome}' as outcome, (draft #>> '{data,step_attempt}')::int as attempt from audit_outbox
    where draft ->> 'action' = 'model.called' and draft ->> 'run_id' = ${id} order by id`
  expect(rows).toEqual([
    { outcome: 'lost', attempt: 1 },
    { outcome: 'succeeded', attempt: 2 },
  ])
  await killHard(survivor)
})

test('a run that is cancelled in a call ends the call, and pays for what it may have cost', async () => {
  const worker = await service.startWorker()
  const id = await start('hang')
  await asked('hang', 1)
  const { status } = await service.call('POST', `/runs/${id}/cancel`, {})
  expect(status).toBeLessThan(300)
  expect(await ended(id)).toMatchObject({ status: 'cancelled' })
  const [call, ...more] = await callsOf(id)
  expect(more).toEqual([])
  expect(call).toMatchObject({ state: 'settled', basis: 'estimate', charged: call?.reserved })
  expect(await proveLedger(service.database.db, id)).toMatchObject({ spent: call?.charged, reserved: 0 })
  await proveDays(service.database.db)
  await proveAudit(service.database.db, service.home)
  await killHard(worker)
})
