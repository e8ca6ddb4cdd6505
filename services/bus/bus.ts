import type { CloudEvent } from '#core/bus/cloud-event.ts'

/** An event for one subscriber. */
export interface BusMessage {
  /** `(subscriber, id)` names a delivery: a handler that remembers it acts once. In the durable log it is the number. */
  id: string
  topic: string
  workspace_id: string
  event: CloudEvent
  /** 1, and higher when the handler failed before */
  attempt: number
  /** true when it may have been handled already, by a subscriber that was lost before it could say so */
  redelivered: boolean
}

/** Resolves when the message is dealt with; what it throws makes the durable bus try again. */
export type BusHandler = (message: BusMessage) => Promise<void>

export interface SubscribeOptions {
  /** name of the cursor: the same name continues where it was, and only one process at a time reads under it */
  name: string
  /** dotted topics; `*` matches one segment, a last `>` or `#` the rest */
  patterns: string[]
  workspace_id: string | '*'
  handler: BusHandler
  /** where a new name begins; the bus of one process has no past */
  from: 'now' | 'beginning'
}

export interface Subscription {
  /** resolves when everything that is published from then on is delivered */
  ready: Promise<void>
  /** Takes no more messages and resolves when the one at hand is dealt with. */
  close(): Promise<void>
}

/** Cross-pack events on topics. */
export interface Bus {
  /** Resolves when the events are on the bus: committed in the durable one, passed on in the other. Throws `validation_failed`. */
  publish(events: CloudEvent[]): Promise<void>
  /** Throws `validation_failed` for a pattern that is none. */
  subscribe(options: SubscribeOptions): Subscription
  /** Closes every subscription. */
  close(): Promise<void>
}
