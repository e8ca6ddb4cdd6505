import { cloudEvent } from '#core/bus/cloud-event.ts'
import { parseTopic } from '#core/bus/topic.ts'
import type { Ids } from '#core/id.ts'
import type { Json } from '#core/json.ts'
import { type Clock, isoTime } from '#core/time.ts'
import type { Bus } from './bus.ts'

export interface PackEvent {
  /** may itself be dotted */
  name: string
  workspace_id: string
  data: Json
  subject?: string
  /** what the event is about, for readers that group by it */
  key?: string
  /** the same for the same event, when it may be published twice; a fresh one when absent */
  id?: string
}

/** Publishes an event of a pack on `pack.<pack>.<name>` and answers with its id. Throws `validation_failed` for a name that is none. */
export async function publishPackEvent(
  { bus, ids, clock }: { bus: Pick<Bus, 'publish'>; ids: Ids; clock: Clock },
  pack: string,
  event: PackEvent,
): Promise<string> {
  const { name, workspace_id, data, subject, key, id = ids.next('message') } = event
  const type = `pack.${pack}.${name}`
  parseTopic(type)
  await bus.publish([
    cloudEvent({
      id,
      source: `svc/packs/${pack}`,
      type,
      time: isoTime(clock()),
      workspace_id,
      data,
      ...(subject === undefined ? {} : { subject }),
      ...(key === undefined ? {} : { partitionkey: key }),
    }),
  ])
  return id
}
