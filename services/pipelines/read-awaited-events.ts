import { matchTopics } from '#core/bus/topic.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { EventsRead } from '#core/pipeline/snapshot.ts'
import type { EventStep } from '#core/pipeline/types.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { LoadedPipeline } from '#store/pipelines/pipelines.ts'

/** Messages that are read before the position is recorded. */
const PAGE = 500
/** Without a message on its topics, the position of a step is recorded only after this many others. */
const WORTH_A_RECORD = 5_000

/**
 * Reads the bus log for the steps that wait for events, each from its own position. Steps in `up_to_date` are left out: any later message
 * wakes the pipeline, and on a busy bus the evaluation would otherwise never end. A step is recorded as waiting before the log is read for it, so
 * an event is either found here or wakes the pipeline when it is numbered.
 */
export async function readAwaitedEvents(
  bus: BusReads,
  { definition, snapshot }: LoadedPipeline,
  up_to_date: Set<string>,
): Promise<Map<string, EventsRead>> {
  const waiting = snapshot.steps.filter(({ id, state }) => state === 'waiting_event' && !up_to_date.has(id))
  const read = new Map<string, EventsRead>()
  if (waiting.length === 0) return read
  // head first: every message up to it then has its topic in the list
  const { last_id } = await bus.head()
  const topics = await bus.topics()
  for (const record of waiting) {
    const step = definition.steps.find((each): each is EventStep => each.kind === 'event' && each.id === record.id)
    if (step === undefined) continue
    const from = (record.started_at_ms ?? 0) - step.look_back_ms
    const after = record.after_id ?? (await bus.lastBefore(from))
    const page = await bus.page({
      after,
      to: last_id,
      topics: topics.filter(matchTopics([step.topic])),
      workspace_id: snapshot.workspace_id,
      limit: PAGE,
      through: 'topics',
    })
    const events = page.map(({ event }): JsonObject => ({ ...event }))
    const isAll = page.length < PAGE
    if (isAll) up_to_date.add(record.id)
    const up_to = isAll ? Math.max(after, last_id) : (page.at(-1)?.id ?? last_id)
    if (record.after_id === null || events.length > 0 || up_to - after > WORTH_A_RECORD)
      read.set(record.id, { events, up_to })
  }
  return read
}
