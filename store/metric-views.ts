import type { Lane } from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import type { PipelineStatus } from '#core/pipeline/transitions.ts'
import type { TerminalStatus } from '#core/run/status.ts'
import { type AuditFileState, createAuditFile } from './audit/audit-file.ts'
import { busHealth, type SubscriberHealth } from './bus/bus-health.ts'
import type { Db } from './db.ts'
import { type ActiveRuns, activeRuns } from './lane-figures.ts'
import { countSetAside } from './set-aside.ts'

/** The values at this moment. */
export interface MetricGauges {
  active: ActiveRuns[]
  /** open ones */
  pipelines: { status: PipelineStatus; pipelines: number }[]
  gates_open: number
  audit_waiting: number
  /** age of the oldest audit record that has no place in the chain yet */
  audit_lag_s: number
  audit_file: AuditFileState
  /** messages of the bus that have no number yet */
  bus_waiting: number
  bus_subscribers: SubscriberHealth[]
  /** claims that came through the engine and were not believed, ever */
  claims_refused: { kind: string; claims: number }[]
  set_aside: Awaited<ReturnType<typeof countSetAside>>
}

/** Events between two moments. Times are in seconds. */
export interface MetricChanges {
  /** read up to here; the next reading begins here */
  until: string
  started: { lane: Lane; wait_s: number }[]
  ended: { status: TerminalStatus; lane: Lane; runs: number }[]
  resolved: { status: GateStatus; open_s: number }[]
}

/** Most rows of one read; further ones are not counted, which the round number shows. */
const MAX_ROWS = 50_000

/**
 * Metrics over all workspaces, without naming one. Changes are reported `late_ms` after they happened, because a commit may come later than
 * its times.
 */
export function createMetricViews(db: Db, late_ms = 2_000) {
  return {
    async gauges(): Promise<MetricGauges> {
      const [active, pipelines, [gates], [audit], audit_file, bus, claims_refused, set_aside] = await Promise.all([
        activeRuns(db),
        db<MetricGauges['pipelines']>`
          select status, count(*)::int as pipelines from pipelines where ended_at is null group by status`,
        db<{ open: number }[]>`select count(*) as open from gates where status = 'open'`,
        db<{ waiting: number; lag_s: number }[]>`
          select count(*) as waiting,
            coalesce(extract(epoch from now() - min((draft ->> 'ts')::timestamptz)), 0)::float8 as lag_s
          from audit_outbox where seq is null`,
        createAuditFile(db).read(),
        busHealth(db, '*'),
        db<MetricGauges['claims_refused']>`
          select kind, sum(refused)::bigint as claims from refusals where action = 'claim.refused' group by kind order by kind`,
        countSetAside(db),
      ])
      return {
        active,
        pipelines,
        gates_open: gates?.open ?? 0,
        audit_waiting: audit?.waiting ?? 0,
        audit_lag_s: Math.max(0, audit?.lag_s ?? 0),
        audit_file,
        bus_waiting: bus.waiting,
        bus_subscribers: bus.subscribers,
        claims_refused,
        set_aside,
      }
    },

    /** Returns the changes after `since`; without it none, from now on. */
    async changes(since: string | undefined): Promise<MetricChanges> {
      const [now] = await db<{ until: string }[]>`
        select to_char((now() - ${late_ms} * interval '1 millisecond') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as until`
      const until = now?.until ?? ''
      if (since === undefined) return { until, started: [], ended: [], resolved: [] }
      const [started, ended, resolved] = await Promise.all([
        db<MetricChanges['started']>`
          select lane, extract(epoch from started_at - queued_at)::float8 as wait_s from runs
          where started_at > ${since}::text::timestamptz and started_at <= ${until}::text::timestamptz limit ${MAX_ROWS}`,
        db<MetricChanges['ended']>`
          select status, lane, count(*) as runs from runs
          where ended_at > ${since}::text::timestamptz and ended_at <= ${until}::text::timestamptz group by status, lane`,
        db<MetricChanges['resolved']>`
          select status, extract(epoch from resolved_at - opened_at)::float8 as open_s from gates
          where resolved_at > ${since}::text::timestamptz and resolved_at <= ${until}::text::timestamptz limit ${MAX_ROWS}`,
      ])
      return { until, started, ended, resolved }
    },
  }
}

export type MetricViews = ReturnType<typeof createMetricViews>
