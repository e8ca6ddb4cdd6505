import { createBatcher } from '#core/batcher.ts'
import type { AlertStore } from '#store/alerts/alerts.ts'
import type { StartContext } from '../context.ts'
import type { AskedAlert, FiringAlert, FoldOutcome } from './firing-alerts.ts'
import { createBusyGauge, createFloodGauge } from './flood-gauge.ts'
import { createSeenFingerprints, foldBatch, type Memory } from './fold-batch.ts'
import { createKnownStates } from './known-states.ts'
import { createStartPace } from './start-pace.ts'

/** Collects the alerts of all requests of a process. */
export interface AlertFold {
  /** Starts a run or attaches to the active one; answers after the commit. */
  fire(ctx: StartContext, alert: FiringAlert): Promise<FoldOutcome>
  resolve: AlertStore['resolve']
  folded: AlertStore['folded']
  active: AlertStore['active']
  ended: AlertStore['ended']
}

export interface AlertPorts {
  alertFold: AlertFold
}

/** Limits of one statement, beyond a single delivery: its cost grows with the fingerprints, and a little with the alerts. */
const MAX_FINGERPRINTS = 256
const MAX_ALERTS = 2_048
/** This many alerts that wait for one flush are the beginning of a flood. */
const CROWD = 8

/**
 * Folds alerts in adaptive batches: an alert that finds no flush running is flushed at once, all that arrive meanwhile go
 * together in the next. One per process.
 */
export function createAlertFold(alerts: AlertStore): AlertFold {
  const memory: Memory = { seen: createSeenFingerprints(), states: createKnownStates() }
  const flood = createFloodGauge(() => performance.now(), createBusyGauge())
  const batcher = createBatcher<AskedAlert, FoldOutcome>({
    count: countOf,
    // the other alerts of the same request arrive within this turn
    pause: () => Promise.resolve(),
    work: async (batch) => {
      flood.add(batch.length)
      await foldBatch(batch, alerts, memory, pace)
    },
  })
  const pace = createStartPace(() => flood.pressure(batcher.waiting.length >= CROWD))

  return {
    // several requests share one transaction; the effects of each are identified by its delivery
    fire: ({ attempt: _attempt, ...ctx }, alert) => batcher.ask({ ctx, alert }),
    resolve: alerts.resolve,
    folded: alerts.folded,
    active: alerts.active,
    ended: alerts.ended,
  }
}

/**
 * Counts the alerts of the next batch. A delivery is not split: if a part of it succeeded and the rest was refused, its sender would repeat
 * all of it.
 */
function countOf(waiting: readonly AskedAlert[]): number {
  const fingerprints = new Set<string>()
  let size = 0
  let whole = 0
  for (const { ctx, alert } of waiting) {
    if (size > 0 && waiting[size - 1]?.alert.delivery_id !== alert.delivery_id) whole = size
    fingerprints.add(`${ctx.workspace_id}/${alert.fingerprint}`)
    if (whole > 0 && (size >= MAX_ALERTS || fingerprints.size > MAX_FINGERPRINTS)) return whole
    size++
  }
  return size
}
