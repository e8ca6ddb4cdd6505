import { DomainError } from '#core/errors.ts'
import type { RunEvent } from '#core/run/event-schema.ts'
import type { EventFeed } from '#store/event-feed.ts'

export interface EventPage {
  run_id: string
  events: RunEvent[]
  last_seq: number
  terminal: boolean
  has_more: boolean
}

/** A page of a run's event log after a number, in order and without gaps. */
export async function listEvents(
  ctx: { workspace_id: string; feed: EventFeed },
  input: { run_id: string; after_seq: number; limit: number },
): Promise<EventPage> {
  const head = await ctx.feed.head(ctx.workspace_id, input.run_id)
  if (!head) throw new DomainError('not_found', `no run ${input.run_id}`)
  const [news] = await ctx.feed.news([{ run_id: input.run_id, after_seq: input.after_seq }], input.limit)
  const events = news?.events ?? []
  const last = events.at(-1)?.seq ?? input.after_seq
  return {
    run_id: input.run_id,
    events,
    last_seq: last,
    terminal: news?.terminal ?? head.terminal,
    has_more: last < (news?.last_seq ?? head.last_seq),
  }
}
