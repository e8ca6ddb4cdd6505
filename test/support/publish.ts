import { cloudEvent } from '#core/bus/cloud-event.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Db } from '#store/db.ts'

let published = 0

/** Puts events on the durable bus, as a transaction of ours does; anyone who leads numbers them. */
export async function publish(
  db: Db,
  topic: string,
  names: readonly string[],
  workspace_id: string = DEFAULT_WORKSPACE_ID,
): Promise<void> {
  const events = names.map((name) => {
    published += 1
    const time = new Date().toISOString()
    return cloudEvent({ id: `test-${published}`, source: 'test', type: topic, time, workspace_id, data: { name } })
  })
  await db`select publish_events(${db.json(events as never)})`
}
