import { describe, expect, test } from 'vitest'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { loadConfig } from '#platform/config.ts'
import { createDb } from '#store/db.ts'
import { startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createBus } from '#workers/create-bus.ts'
import { testLog } from '../support/embedded.ts'
import { admitTestRun } from '../support/test-runs.ts'

const database = testDatabase()
const api = testApi(database, { services: { engine: startingEngine() } })

/** The bus of a worker, which is not this API's process as far as either of them can tell. */
async function openWorkerBus(kind: 'in_process' | 'postgres') {
  const db = createDb(database.url, { max: 3, name: 'test-bus' })
  const bus = await createBus({
    config: { ...loadConfig({ SVC_BUS: kind }), databaseUrl: database.url },
    db,
    log: testLog,
  })
  const received: { type: string; about: string | undefined }[] = []
  await bus.subscribe({
    name: `listener-${kind}`,
    patterns: ['ask.*', 'run.queued'],
    workspace_id: DEFAULT_WORKSPACE_ID,
    from: 'now',
    handler: async ({ event: { type, subject } }) => void received.push({ type, about: subject }),
  }).ready
  return {
    received,
    async close() {
      await bus.close()
      await db.end({ timeout: 1 })
    },
  }
}

const answered = (id: string) =>
  cloudEvent({
    id,
    source: 'svc/ask',
    type: 'ask.answered',
    subject: id,
    time: '2026-01-01T00:00:00.000Z',
    workspace_id: DEFAULT_WORKSPACE_ID,
    data: { text: 'x'.repeat(20_000) },
  })

describe.each(['postgres', 'in_process'] as const)('with the %s bus', (kind) => {
  test('what the API publishes and the runs it admits reach the subscribers of the workers, once', async () => {
    const worker = await openWorkerBus(kind)
    await api.deps.services.bus.publish([answered(`${kind}-1`), answered(`${kind}-2`)])
    const run_id = await admitTestRun(api)
    api.notifyRun(run_id)
    await expect
      .poll(() => worker.received.toSorted((a, b) => a.type.localeCompare(b.type)), PATIENCE)
      .toEqual([
        { type: 'ask.answered', about: `${kind}-1` },
        { type: 'ask.answered', about: `${kind}-2` },
        { type: 'run.queued', about: run_id },
      ])
    await expect.poll(async () => (await database.db`select 1 from bus_outbox`).length).toBe(0)
    await worker.close()
  })
})

test('an event that is none is refused, and says so before anything is written', async () => {
  const nameless = { ...answered('x'), type: 'ask answered' }
  await expect(api.deps.services.bus.publish([nameless])).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await database.db`select 1 from bus_outbox`).toHaveLength(0)
})

test('health says of a workspace, and metrics of all, how far subscribers are behind and what they could not handle', async () => {
  await database.db`insert into bus_cursors (subscriber, workspace_id, last_id, reading_to) values ('laggard', '*', 0, 0)`
  await database.db`
    insert into bus_dead_letters (subscriber, message_id, workspace_id, topic, event, attempts, error)
    values ('laggard', 1, ${DEFAULT_WORKSPACE_ID}, 'ask.answered', '{}', 5, 'no'),
      ('laggard', 2, 'ws_0000000000000000000000000b', 'ask.answered', '{}', 5, 'no')`
  const [head] = await database.db<{ last_id: number }[]>`select last_id from bus_head`
  const health: unknown = await (await api.get('/healthz?verbose')).json()
  expect(health).toMatchObject({
    bus: {
      waiting: 0,
      subscribers: expect.arrayContaining([{ subscriber: 'laggard', behind: head?.last_id, dead_letters: 1 }]),
    },
  })
  const metrics = await (await api.get('/metrics')).text()
  expect(metrics).toContain(`svc_bus_lag_messages{subscriber="laggard"} ${head?.last_id}`)
  expect(metrics).toContain('svc_bus_dead_letters{subscriber="laggard"} 2')
})
