import type { DomainError } from '#core/errors.ts'
import type { DeliveryEnd } from '#core/inbox/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { Log } from '#core/log.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { InboxStore } from '#store/inbox.ts'
import type { IntakeContext } from '../service-deps.ts'

/** Something that arrived at a trigger. */
export interface Delivery {
  id: string
  /** path of the route that took it */
  route: string
  source?: string
  /** those that the inbox keeps */
  headers: Record<string, string>
  /** the JSON value of `text`; undefined when it is not JSON */
  body: unknown
  /** as it was received */
  text: string
  /** what the route knows beside the body and needs again later, the outcome of a signature for example */
  facts?: JsonObject
  /** an earlier attempt may have done all of it or a part */
  again: boolean
  /** somebody asked for it once more */
  replay: boolean
}

export interface Processed<Answer> {
  /** what the sender is told */
  answer: Answer
  end: DeliveryEnd
}

/**
 * What is done with the deliveries of a route, at once or later. With `again` set, whatever an earlier attempt has done must not
 * be done a second time: a run without fingerprint gets the id `runIdOfDelivery(delivery.id)`, unless it is a replay.
 */
export interface InboxRoute<Answer = unknown> {
  /** a path, or what the paths of these deliveries begin with, without the slash before what follows */
  path: `/${string}`
  process(ctx: IntakeContext, delivery: Delivery): Promise<Processed<Answer>>
  /** what would become of it now; changes nothing */
  preview?(ctx: IntakeContext, delivery: Delivery): Promise<JsonObject[]>
}

export type FaultPoint = 'inbox_committed' | 'inbox_begun' | 'inbox_processed'

export interface Inbox {
  items: InboxStore
  /** every route whose deliveries can wait */
  routes: readonly InboxRoute[]
  /** seals bodies at rest; absent without a master key */
  box?: Pick<SecretBox, 'seal' | 'open'>
  log: Pick<Log, 'error'>
  /** any failure as the error that callers know */
  toDomainError(thrown: unknown): DomainError
  /** something waits in the line */
  wake(): void
  /** dies at a named point, with some content: for fault tests */
  fault(point: FaultPoint, content?: string): void
}

export type InboxContext = IntakeContext & { inbox: Inbox }

/** What a sender is told whose delivery will be processed later. */
export type Received = {
  delivery_id: string
  outcome: 'received'
  results: never[]
}
