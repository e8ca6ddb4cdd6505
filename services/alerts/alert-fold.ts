import { canonicalText } from '#core/canonical-text.ts'
import { DomainError } from '#core/errors.ts'
import type { AlertStore } from '#store/alerts.ts'
import type { ServiceContext } from '../context.ts'
import { type Admission, admitRuns } from '../runs/admit-run.ts'

/** A firing alert with the run that its rule asks for. */
export interface FiringAlert {
  fingerprint: string
  admission: Omit<Admission, 'fingerprint' | 'alerts'>
  delivery_id: string
  member: string
}

export type FoldOutcome =
  | { outcome: 'started' | 'attached'; run_id: string; attached_count: number }
  | { outcome: 'denied' | 'unmatched'; detail: string }

/** Where the alerts of all requests of a process meet. */
export interface AlertFold {
  /** Starts a run or attaches to the active one; answers after the commit. */
  fire(ctx: ServiceContext, alert: FiringAlert): Promise<FoldOutcome>
  resolve: AlertStore['resolve']
}

/** What one statement takes: its cost grows with the fingerprints, and a little with the alerts. */
const MAX_FINGERPRINTS = 256
const MAX_ALERTS = 2_048

interface Waiting {
  ctx: ServiceContext
  alert: FiringAlert
  answer(outcome: FoldOutcome): void
  fail(error: unknown): void
}

/**
 * Folds alerts in adaptive batches: an alert that finds no flush running is flushed at once, all that arrive meanwhile go
 * together in the next. One per process.
 */
export function createAlertFold(alerts: AlertStore): AlertFold {
  const waiting: Waiting[] = []
  let draining = false

  async function drain(): Promise<void> {
    if (draining) return
    draining = true
    // the other alerts of the same request are on their way within this turn
    await Promise.resolve()
    while (waiting.length > 0) await flush(takeBatch(waiting))
    draining = false
  }

  return {
    fire: (ctx, alert) =>
      new Promise((answer, fail) => {
        waiting.push({ ctx, alert, answer, fail })
        void drain()
      }),
    resolve: alerts.resolve,
  }
}

/** Takes from the front, in order. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  const fingerprints = new Set<string>()
  let size = 0
  for (const { ctx, alert } of waiting) {
    fingerprints.add(`${ctx.workspace_id}/${alert.fingerprint}`)
    if (size === MAX_ALERTS || fingerprints.size > MAX_FINGERPRINTS) break
    size++
  }
  return waiting.splice(0, size)
}

/** A run is admitted in the name of whoever sent its first alert, so callers are kept apart. */
async function flush(batch: Waiting[]): Promise<void> {
  for (const members of groupBy(batch, callerOf)) {
    try {
      await admit(members)
    } catch (error) {
      for (const member of members) member.fail(error)
    }
  }
}

function callerOf({ ctx }: Waiting): string {
  return JSON.stringify([ctx.workspace_id, ctx.channel, ctx.actor])
}

/**
 * One admission per fingerprint. The first alert that may start a run speaks for all; whoever asks for the same as one that
 * was refused is refused with it, and the others try again.
 */
async function admit(members: Waiting[]): Promise<void> {
  let groups = groupBy(members, ({ alert }) => alert.fingerprint)
  while (groups.length > 0) {
    const speakers = groups.flatMap((group) => (group[0] === undefined ? [] : [{ first: group[0], group }]))
    const [{ first: { ctx } } = { first: undefined }] = speakers
    if (ctx === undefined) return
    const outcomes = await admitRuns(ctx, speakers.map(({ first, group }) => toAdmission(first.alert, group)))
    groups = speakers.flatMap(({ first, group }, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined) throw new DomainError('internal', 'an admission had no outcome')
      if (outcome.kind === 'refused') return [refuse(first, group, outcome.error)].filter((rest) => rest.length > 0)
      answerAll(group, outcome.admitted)
      return []
    })
  }
}
