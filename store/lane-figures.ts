import { LANES, type Lane } from '#core/contract.ts'
import { perLane } from '#core/run/lane.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { Db } from './db.ts'

/** The state of a lane; waits are from admission to the first execution, of runs that began lately. */
export interface LaneFigures {
  running: number
  queued: number
  /** undefined when no run has begun lately */
  wait_p50_ms?: number
  wait_p99_ms?: number
}

interface WaitRow {
  lane: Lane
  p50: number
  p99: number
}

/** Figures of the lanes over every workspace, from small indexes. */
export function createLaneFigures(db: Db) {
  return {
    async lanes(windowMs: number): Promise<Record<Lane, LaneFigures>> {
      const [active, waits] = await Promise.all([
        activeRuns(db),
        db<WaitRow[]>`
          select lane, percentile_disc(0.5) within group (order by wait_ms)::float8 as p50,
            percentile_disc(0.99) within group (order by wait_ms)::float8 as p99
          from (
            select lane, extract(epoch from started_at - queued_at) * 1000 as wait_ms
            from runs where started_at > now() - ${windowMs} * interval '1 millisecond'
          ) begun group by lane`,
      ])
      return perLane((lane) => {
        const wait = waits.find((row) => row.lane === lane)
        const count = (status: RunStatus) => active.find((row) => row.lane === lane && row.status === status)?.runs ?? 0
        return {
          running: count('running'),
          queued: count('queued'),
          ...(wait && { wait_p50_ms: round(wait.p50), wait_p99_ms: round(wait.p99) }),
        }
      })
    },
  }
}

export interface ActiveRuns {
  lane: Lane
  status: RunStatus
  runs: number
}

/** Runs that have not ended, by lane and status: a few probes of one index for each workspace. */
export async function activeRuns(db: Db): Promise<ActiveRuns[]> {
  return db<ActiveRuns[]>`
    select r.lane, r.status, count(*) as runs from workspaces w
    join runs r on r.workspace_id = w.id and r.lane = any(${[...LANES]}::text[])
      and r.status in ('queued', 'running', 'awaiting_approval', 'cancelling')
    group by r.lane, r.status`
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}

export type LaneFigureViews = ReturnType<typeof createLaneFigures>
