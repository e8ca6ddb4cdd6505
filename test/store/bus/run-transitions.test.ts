import { CloudEvent as StandardEvent } from 'cloudevents'
import { describe, expect, test } from 'vitest'
import type { CloudEvent } from '#core/bus/cloud-event.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { loadConfig } from '#platform/config.ts'
import type { BusMessage } from '#services/bus/bus.ts'
import { createDb } from '#store/db.ts'
import { createRunNotifier } from '#store/runs/listen-for-runs.ts'
import { createRunTransitions } from '#store/runs/run-transitions.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createBus } from '#workers/create-bus.ts'
import { testLog } from '../../support/embedded.ts'
import { ids, runDraft } from '../../support/run-drafts.ts'

const database = testDatabase()

const TOPICS = ['run.queued', 'run.started', 'gate.opened', 'run.awaiting_approval', 'gate.resolved', 'run.succeeded']

/** A run through its life, as the services write it. */
async function liveOnce(notify: (runId: string) => void): Promise<string> {
  const runs = createRunStore(database.db)
  const draft = runDraft()
  const run_id = draft.id
  await runs.admit([draft])
  await runs.take(run_id)
  notify(run_id)
  const gate_id = ids.next('gate')
  await database.db`select append_events(${run_id}, ${database.db.json([
    { key: 'step/one', type: 'step.started', step: 'one' },
    { key: `gate/${gate_id}/opened`, type: 'gate.opened', step: 'one', data: { gate_id } },
    { key: `gate/${gate_id}/resolved`, type: 'gate.expired', step: 'one', data: { gate_id } },
    { key: 'run/succeeded', type: 'run.succeeded' },
  ])})`
  notify(run_id)
  return run_id
}

async function openBus(kind: 'in_process' | 'postgres') {
  const db = createDb(database.url, { max: 3, name: 'test-bus' })
  const config = { ...loadConfig({ SVC_BUS: kind }), databaseUrl: database.url }
  const bus = await createBus({ config, db, log: testLog })
  const notifier = createRunNotifier(db)
  const events: CloudEvent[] = []
  const handler = async ({ event }: BusMessage) => void events.push(event)
  const { ready } = bus.subscribe({
    name: 'runs',
    patterns: ['run.*', 'gate.*', 'pack.>'],
    workspace_id: DEFAULT_WORKSPACE_ID,
    from: 'now',
    handler,
  })
  await ready
  return {
    events,
    notify: notifier.notify,
    async close() {
      await notifier.close()
      await bus.close()
      await db.end({ timeout: 1 })
    },
  }
}

const outbox = async () => (await database.db`select 1 from bus_outbox`).length

describe.each(['postgres', 'in_process'] as const)('with the %s bus', (kind) => {
  test('every transition of a run is published once, in order, as a CloudEvent', async () => {
    const bus = await openBus(kind)
    const run_id = await liveOnce(bus.notify)
    await expect.poll(() => bus.events.map(({ type }) => type), PATIENCE).toEqual(TOPICS)
    for (const event of bus.events) expect(new StandardEvent({ ...event }, true).validate()).toBe(true)
    expect(bus.events[3]).toMatchObject({
      specversion: '1.0',
      id: `${run_id}.4.awaiting`,
      source: 'svc/runs',
      subject: run_id,
      partitionkey: run_id,
      workspaceid: DEFAULT_WORKSPACE_ID,
      data: { run_id, seq: 4, step: 'one', detail: { gate_id: expect.any(String) } },
    })
    expect(new Set(bus.events.map(({ id }) => id)).size).toBe(TOPICS.length)
    await bus.close()
  })
})

describe.each(['postgres', 'in_process'] as const)('an event of a step, with the %s bus', (kind) => {
  test('is published once under the name of its pack, however often it is recorded', async () => {
    const bus = await openBus(kind)
    const draft = runDraft()
    const runs = createRunStore(database.db)
    await runs.admit([draft])
    await runs.take(draft.id)
    const outputs = { event: 'order.created', data: { n: 1, run_id: 'another' } }
    const published = { key: 'step/one/published/0', type: 'step.published', step: 'one', data: outputs }
    const append = (events: object[]) =>
      database.db`select append_events(${draft.id}, ${database.db.json(events as never)})`
    const undone = database.db.begin(async (tx) => {
      await tx`select append_events(${draft.id}, ${tx.json([published] as never)})`
      throw new Error('killed')
    })
    await expect(undone).rejects.toThrow('killed')
    await append([published])
    await append([published, { key: 'run/succeeded', type: 'run.succeeded' }])
    bus.notify(draft.id)
    const topic = `pack.${draft.pack}.order.created`
    await expect
      .poll(() => bus.events.map(({ type }) => type), PATIENCE)
      .toEqual(['run.queued', 'run.started', topic, 'run.succeeded'])
    const event = bus.events[2]
    expect(event).toMatchObject({
      source: `svc/packs/${draft.pack}`,
      subject: draft.id,
      partitionkey: draft.id,
      workspaceid: DEFAULT_WORKSPACE_ID,
      data: { n: 1, run_id: 'another' },
    })
    expect(new StandardEvent({ ...event }, true).validate()).toBe(true)
    await bus.close()
  })
})

test('what a run has that is no transition is read once', async () => {
  const transitions = createRunTransitions(database.db)
  const draft = runDraft()
  await createRunStore(database.db).admit([draft])
  const [run_id, after_seq] = [draft.id, 0]
  const first = await transitions.after([{ run_id, after_seq }])
  expect(first.transitions.map(({ event }) => event.type)).toEqual(['run.queued'])
  await database.db`select append_events(${run_id}, ${database.db.json([
    { key: 'step/one', type: 'step.started', step: 'one' },
    { key: 'step/two', type: 'step.started', step: 'two' },
  ])})`
  const later = await transitions.after([{ run_id, after_seq: first.read_to.get(run_id) ?? 0 }])
  expect(later).toEqual({ transitions: [], read_to: new Map([[run_id, (first.read_to.get(run_id) ?? 0) + 2]]) })
})

describe('without the durable bus', () => {
  test('a run writes nothing to its outbox', async () => {
    await (await openBus('in_process')).close()
    await liveOnce(() => undefined)
    expect(await outbox()).toBe(0)
  })
})

describe('with the durable bus', () => {
  test('a transition that is rolled back is not published', async () => {
    await database.db`update bus_settings set durable = true`
    const draft = runDraft()
    const before = await outbox()
    await database.db
      .begin(async (tx) => {
        await tx`select admit_runs(${tx.json([draft] as never)})`
        expect((await tx`select 1 from bus_outbox where key = ${draft.id}`).length).toBe(1)
        throw new Error('no')
      })
      .catch((error: Error) => expect(error.message).toBe('no'))
    expect(await outbox()).toBe(before)
  })
})
