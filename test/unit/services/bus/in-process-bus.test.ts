import { describe, expect, test } from 'vitest'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import { createInProcessBus } from '#services/bus/in-process-bus.ts'

const event = (topic: string, id: string, workspace_id = 'ws_a') =>
  cloudEvent({ id, source: 'test', type: topic, time: '2026-01-01T00:00:00.000Z', workspace_id, data: { n: id } })

function createBus() {
  const lost: string[] = []
  return { lost, bus: createInProcessBus({ onLost: (name, { id }) => lost.push(`${name} ${id}`) }) }
}

function collect() {
  const ids: string[] = []
  return { ids, handler: async ({ id }: { id: string }) => void ids.push(id) }
}

describe('the bus of one process', () => {
  test('hands each event to every subscriber whose pattern and workspace fit, in order', async () => {
    const { bus } = createBus()
    const [all, own] = [collect(), collect()]
    bus.subscribe({ name: 'all', patterns: ['run.*'], workspace_id: '*', from: 'now', handler: all.handler })
    bus.subscribe({ name: 'own', patterns: ['run.failed'], workspace_id: 'ws_a', from: 'now', handler: own.handler })
    await bus.publish([event('run.failed', '1'), event('run.queued', '2'), event('run.failed', '3', 'ws_b')])
    await bus.publish([event('gate.opened', '4'), event('run.failed', '5')])
    await expect.poll(() => all.ids).toEqual(['1', '2', '3', '5'])
    await bus.close()
    expect(own.ids).toEqual(['1', '5'])
  })

  test('keeps nothing for a subscriber that comes later, and gives nothing to one that has gone', async () => {
    const { bus } = createBus()
    const { ids, handler } = collect()
    await bus.publish([event('run.failed', 'before')])
    const subscription = bus.subscribe({ name: 'x', patterns: ['>'], workspace_id: '*', from: 'beginning', handler })
    await bus.publish([event('run.failed', 'during')])
    await Promise.resolve()
    await subscription.close()
    await bus.publish([event('run.failed', 'after')])
    expect(ids).toEqual(['during'])
  })

  test('a handler that fails loses that message, never the next, and nobody waits for a slow one', async () => {
    const { bus, lost } = createBus()
    const { ids, handler } = collect()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const common = { patterns: ['>'], workspace_id: '*', from: 'now' as const }
    bus.subscribe({ ...common, name: 'slow', handler: () => held })
    bus.subscribe({
      ...common,
      name: 'failing',
      handler: async (message) => {
        if (message.id === '1') throw new Error('no')
        await handler(message)
      },
    })
    await bus.publish([event('run.failed', '1'), event('run.failed', '2')])
    await expect.poll(() => ids).toEqual(['2'])
    expect(lost).toEqual(['failing 1'])
    release()
    await bus.close()
  })

  test('takes no event without a topic, and then none of those that came with it', async () => {
    const { bus } = createBus()
    const { ids, handler } = collect()
    bus.subscribe({ name: 'x', patterns: ['>'], workspace_id: '*', from: 'now', handler })
    await expect(bus.publish([event('run.failed', '1'), event('run.*', '2')])).rejects.toMatchObject({
      code: 'validation_failed',
    })
    await bus.close()
    expect(ids).toEqual([])
  })
})
