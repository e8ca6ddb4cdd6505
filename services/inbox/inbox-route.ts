import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { type DeliveryEnd, runIdOfDelivery } from '#core/inbox/item.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Log } from '#core/log.ts'
import type { RunStatus } from '#core/run/status.ts'
import { ManualTrigger, PatternSignal } from '#core/trigger/start-schema.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { InboxStore } from '#store/alerts/inbox.ts'
import { previewAlerts } from '../alerts/preview-alerts.ts'
import { receiveAlerts } from '../alerts/receive-alerts.ts'
import type { Admission } from '../runs/admission.ts'
import { admitRun } from '../runs/admit-run.ts'
import type { IntakeContext } from '../service-deps.ts'
import { receivePattern } from '../triggers/receive-pattern.ts'

const MAX_ERRORS = 100

/** The body of a delivery as its route takes it. Throws `validation_failed` with every violated field, up to a hundred. */
function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.slice(0, MAX_ERRORS).map(({ path, message, code }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    loc: path.map((part) => (typeof part === 'number' ? part : String(part))),
    msg: message,
    type: code,
  }))
  throw new DomainError('validation_failed', `The body of the delivery: ${errors[0]?.pointer} ${errors[0]?.msg}`, {
    errors,
  })
}

/** Something that arrived at a trigger. */
export interface Delivery {
  id: string
  /** path of the route that took it */
  route: string
  source?: string
  /** headers that the inbox stores */
  headers: Record<string, string>
  /** the JSON value of `text`; undefined when it is not JSON */
  body: unknown
  /** as received */
  text: string
  /** facts of the route that it needs again later, for example the result of a signature check */
  facts?: JsonObject
  /** an earlier attempt may have done all of it or a part */
  again: boolean
  /** true: requested by a user */
  replay: boolean
}

export interface Processed<Answer> {
  /** the answer to the sender */
  answer: Answer
  end: DeliveryEnd
}

/**
 * Processes the deliveries of a route, at once or later. With `again` set, effects of an earlier attempt must not happen twice: a run
 * without fingerprint gets the id `runIdOfDelivery(delivery.id)`, unless it is a replay.
 */
export interface InboxRoute<Answer = unknown> {
  /** a path, or the common beginning of these deliveries' paths, without the slash after it */
  path: `/${string}`
  process(ctx: IntakeContext, delivery: Delivery): Promise<Processed<Answer>>
  /** what would happen to it now; changes nothing */
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
  /** throws `rate_limited` while as many deliveries of a workspace wait as may */
  mustHaveRoom(workspaceId: string): Promise<void>
  /** takes one of the slots for processing at once, and returns what frees it; undefined while none is free */
  takeSlot(): (() => void) | undefined
  /** something waits in the line */
  wake(): void
  /** dies at a named point, with some content: for fault tests */
  fault(point: FaultPoint, content?: string): void
}

export type InboxContext = IntakeContext & { inbox: Inbox }

/** The answer to a sender whose delivery will be processed later. */
export type Received = {
  delivery_id: string
  outcome: 'received'
  results: never[]
}

/** Alerts as alerting tools send them. */
export const alertDelivery: InboxRoute<Awaited<ReturnType<typeof receiveAlerts>>> = {
  path: '/triggers/alert',
  async process(ctx, delivery) {
    const { id, again } = delivery
    const answer = await receiveAlerts(ctx, { ...payloadOf(delivery), delivery: { id, again } })
    return { answer, end: deliveryEnd(answer.results) }
  },
  preview: (ctx, delivery) => previewAlerts(ctx, payloadOf(delivery)),
}

function payloadOf({ body, source }: Delivery): { body: unknown; source?: string } {
  return { body, ...(source !== undefined && { source }) }
}

/** Manual starts that are processed later. */
export const manualDelivery: InboxRoute<{ run_id: string; status: RunStatus }> = {
  path: '/triggers/manual',
  async process(ctx, delivery) {
    const { wait: _wait, wait_timeout_s: _timeout, ...start } = parseBody(ManualTrigger, delivery.body)
    const given = Object.fromEntries(Object.entries(start).filter(([, value]) => value !== undefined))
    const admission: Admission = {
      ...(given as Pick<Admission, 'pack' | 'template' | 'inputs'>),
      trigger: { type: 'manual', delivery_id: delivery.id },
      ...(!delivery.replay && { run_id: runIdOfDelivery(delivery.id) }),
    }
    const { run_id, status } = await admitRun(ctx, admission)
    return { answer: { run_id, status }, end: { status: 'started', run_id } }
  },
}

/** Patterns that were recognised elsewhere. */
export const patternDelivery: InboxRoute<Awaited<ReturnType<typeof receivePattern>>> = {
  path: '/triggers/pattern',
  async process(ctx, delivery) {
    const answer =
      (await foldedBefore(ctx, delivery)) ??
      (await receivePattern(ctx, parseBody(PatternSignal, delivery.body), delivery.id))
    return { answer, end: deliveryEnd([answer]) }
  },
}

/** Returns the outcome of an earlier attempt. */
async function foldedBefore(ctx: IntakeContext, { id, again }: Delivery) {
  const [before] = again ? await ctx.alertFold.folded(ctx.workspace_id, id) : []
  if (before === undefined) return undefined
  const { fingerprint, run_id, started } = before
  return { fingerprint, outcome: started ? ('started' as const) : ('attached' as const), run_id, attached_count: 0 }
}

/** The route that a delivery belongs to; undefined when nothing takes it. */
export function findInboxRoute({ routes }: Pick<Inbox, 'routes'>, path: string): InboxRoute | undefined {
  return routes.find((route) => path === route.path || path.startsWith(`${route.path}/`))
}
