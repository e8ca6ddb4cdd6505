import type { RefusedOutcome } from '#core/trigger/outcome.ts'
import type { StartContext } from '../context.ts'
import type { Admission } from '../runs/draft-run.ts'
import type { Attaching } from './attached-alerts.ts'

/** A firing alert with the run that its rule asks for. */
export interface FiringAlert extends Attaching {
  fingerprint: string
  admission: Omit<Admission, 'fingerprint' | 'alerts' | 'alert'>
}

export type FoldOutcome =
  | { outcome: 'started' | 'attached'; run_id: string; attached_count: number }
  | { outcome: RefusedOutcome | 'throttled' | 'unmatched'; detail: string }

/** An alert whose sender waits for an answer. */
export interface Waiting {
  ctx: StartContext
  alert: FiringAlert
  answer(outcome: FoldOutcome): void
  fail(error: unknown): void
}

/** What one statement takes, beyond a single delivery: its cost grows with the fingerprints, and a little with the alerts. */
const MAX_FINGERPRINTS = 256
const MAX_ALERTS = 2_048
/**
 * Takes from the front, in order. A delivery is not torn apart: were a part of it folded and the rest refused, its sender would
 * send all of it again.
 */
export function takeBatch(waiting: Waiting[]): Waiting[] {
  const fingerprints = new Set<string>()
  let size = 0
  let whole = 0
  for (const { ctx, alert } of waiting) {
    if (size > 0 && waiting[size - 1]?.alert.delivery_id !== alert.delivery_id) whole = size
    fingerprints.add(`${ctx.workspace_id}/${alert.fingerprint}`)
    if (whole > 0 && (size >= MAX_ALERTS || fingerprints.size > MAX_FINGERPRINTS)) return waiting.splice(0, whole)
    size++
  }
  return waiting.splice(0, size)
}

const actors = new WeakMap<StartContext['actor'], string>()

/** In whose name a run is asked for. */
export function callerOf({ ctx }: Waiting): string {
  const { actor } = ctx
  const known = actors.get(actor) ?? JSON.stringify(actor)
  actors.set(actor, known)
  return `${ctx.workspace_id} ${ctx.channel} ${ctx.replay_of ?? ''} ${known}`
}

/** Alerts that one run answers. */
export interface Group {
  first: Waiting
  members: Waiting[]
}

/** Groups in the order of their first members. */
export function groupBy(waiting: Waiting[], keyOf: (one: Waiting) => string): Group[] {
  const groups = new Map<string, Group>()
  for (const one of waiting) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: one, members: [one] })
    else group.members.push(one)
  }
  return [...groups.values()]
}
