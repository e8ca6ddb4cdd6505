import { setTimeout as sleep } from 'node:timers/promises'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import type { Bus } from '#services/bus/bus.ts'
import type { Db } from '#store/db.ts'
import type { Publication } from './bus-history.ts'
import { seededRandom } from './seeded-random.ts'

export const WORKSPACES = ['ws_0000000000000000000000000a', 'ws_0000000000000000000000000b'] as const
const TOPICS = ['load.a.x', 'load.b.x', 'load.a.y', 'load.deep.er.z']

type Planned = Omit<Publication, 'outcome' | 'transaction'>

const eventOf = ({ event_id, topic, workspace_id }: Planned) =>
  cloudEvent({
    id: event_id,
    source: 'test',
    type: topic,
    time: '2026-01-01T00:00:00.000Z',
    workspace_id,
    data: { sent_at: performance.now() },
  })

/** Publishers that write down what they said and what became of it. */
export function createPublishers(db: Db, seed: number) {
  const published: Publication[] = []

  function note(planned: Planned[], outcome: Publication['outcome']): void {
    const transaction = planned[0]?.event_id ?? ''
    published.push(...planned.map((each) => ({ ...each, transaction, outcome })))
  }

  /** A transaction that pauses between its events: one message, so that losing the session undoes it as a whole. */
  async function transact(planned: Planned[], pause_ms: number, end: 'commit' | 'rollback'): Promise<void> {
    const [first, ...others] = planned
    const insert = (some: Planned[]) => `select publish_events('${JSON.stringify(some.map(eventOf))}'::jsonb)`
    await db
      .unsafe(
        `begin; ${insert(first === undefined ? [] : [first])}; select pg_sleep(${pause_ms / 1_000}); ${insert(others)}; ${end}`,
      )
      .simple()
      .then(
        () => note(planned, end === 'commit' ? 'acknowledged' : 'undone'),
        async () => {
          note(planned, end === 'commit' ? 'unknown' : 'undone')
          await sleep(20)
        },
      )
  }

  /** Publishes until `going` says no: every second one in transactions, the others through the bus. */
  async function publish(publisher: number, bus: Bus, going: () => boolean): Promise<void> {
    const random = seededRandom(seed * 1_000 + publisher)
    const workspace_id = WORKSPACES[publisher % 4 < 2 ? 0 : 1]
    let n = 0
    const say = (): Planned => ({
      event_id: `${publisher}:${n++}`,
      topic: TOPICS[Math.floor(random() * TOPICS.length)] ?? '',
      workspace_id,
    })
    while (going()) {
      if (publisher % 2 === 0) {
        await transact([say(), say(), say()], random() * 12, random() < 0.1 ? 'rollback' : 'commit')
        continue
      }
      const planned = [say(), say()]
      await bus.publish(planned.map(eventOf)).then(
        () => note(planned, 'acknowledged'),
        async () => {
          note(planned, 'unknown')
          await sleep(20)
        },
      )
      await sleep(random() * 12)
    }
  }

  /** One transaction that stays open; it is the only one of its publisher. */
  async function hold(name: string, hold_ms: number): Promise<void> {
    const planned = [0, 1].map((n) => ({ event_id: `${name}:${n}`, topic: 'load.held.x', workspace_id: WORKSPACES[1] }))
    await transact(planned, hold_ms, 'commit')
  }

  return { published, publish, hold }
}
