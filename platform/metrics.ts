import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Lane } from '#core/contract.ts'
import { SET_ASIDE_KINDS, type SetAside } from '#core/set-aside.ts'

/** A reading of the database for gauges. */
export interface Reading {
  active: readonly { lane: Lane; status: string; runs: number }[]
  lane_slots: Record<Lane, number>
  pipelines: readonly { status: string; pipelines: number }[]
  gates_open: number
  audit_waiting: number
  audit_lag_s: number
  audit_file: { problem: string | null; findings: number; passed_seq: number | null; passed_age_s: number | null }
  bus_waiting: number
  bus_subscribers: readonly { subscriber: string; behind: number; dead_letters: number }[]
  claims_refused: readonly { kind: string; claims: number }[]
  set_aside: readonly { kind: SetAside['kind']; count: number }[]
}

/** Events since the previous reading. */
export interface Happenings {
  started: readonly { lane: Lane; wait_s: number }[]
  ended: readonly { lane: Lane; status: string; runs: number }[]
  resolved: readonly { status: string; open_s: number }[]
}

/** All metrics, in the text format of Prometheus. Labels name routes, statuses and lanes, never a tenant. */
export interface Metrics {
  http(request: { operation: string; method: string; status: number; duration_s: number }): void
  admission(outcome: string, source: string): void
  read(reading: Reading): void
  happened(happenings: Happenings): void
  text(): Promise<{ body: string; content_type: string }>
}

const HTTP_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
const WAIT_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200]
const GATE_BUCKETS_S = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800]

/** The metrics of one process; a registry of their own, so that several may live side by side. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers })

  const route = ['operation', 'method', 'status']
  const requests = counter('http_requests_total', 'Requests answered', route)
  const durations = histogram('http_request_duration_seconds', 'Time to the answer', route, HTTP_BUCKETS_S)
  const admissions = counter('svc_run_admissions_total', 'Starts asked of this process', ['outcome', 'source'])
  const active = gauge('svc_runs', 'Runs that have not ended', ['status', 'lane'])
  const ended = counter('svc_runs_ended_total', 'Runs that have ended since this process began', ['status', 'lane'])
  const slots = gauge('svc_lane_slots', 'Operations that the workers of a lane run at once', ['lane'])
  const waits = histogram('svc_lane_wait_seconds', 'From admission to the first execution', ['lane'], WAIT_BUCKETS_S)
  const pipelines = gauge('svc_pipelines', 'Pipelines that have not ended', ['status'])
  const open = gauge('svc_gates_open', 'Gates that wait for an answer')
  const decided = histogram('svc_gate_resolution_seconds', 'How long gates were open', ['status'], GATE_BUCKETS_S)
  const auditWaiting = gauge('svc_audit_outbox_records', 'Audit records that are not in the chain yet')
  const auditLag = gauge('svc_audit_outbox_lag_seconds', 'Age of the oldest of them')
  const auditSound = gauge(
    'svc_audit_log_sound',
    '1 while the audit log holds what the database says, as far as is known',
  )
  const auditFindings = counter('svc_audit_findings_total', 'Times that the audit log was found to be wrong', [])
  const auditPassed = gauge(
    'svc_audit_checked_records',
    'Records that the last whole check of the audit log passed over',
  )
  const auditPassedAge = gauge('svc_audit_check_age_seconds', 'How long ago that was')
  const claims = counter('svc_claims_refused_total', 'Claims through the engine that the record did not bear out', [
    'kind',
  ])
  const setAside = gauge('svc_set_aside', 'Work that is not tried again because it has ended two processes', ['kind'])
  const busWaiting = gauge('svc_bus_outbox_messages', 'Messages that have no number yet')
  const busLag = gauge('svc_bus_lag_messages', 'How far a subscriber is behind', ['subscriber'])
  const busDead = gauge('svc_bus_dead_letters', 'Messages that a subscriber could not handle', ['subscriber'])

  return {
    http({ operation, method, status, duration_s }) {
      const labels = { operation, method, status: String(status) }
      requests.inc(labels)
      durations.observe(labels, duration_s)
    },

    admission: (outcome, source) => admissions.inc({ outcome, source }),

    read(reading) {
      active.reset()
      for (const { lane, status, runs } of reading.active) active.set({ lane, status }, runs)
      for (const [lane, count] of Object.entries(reading.lane_slots)) slots.set({ lane }, count)
      pipelines.reset()
      for (const { status, pipelines: count } of reading.pipelines) pipelines.set({ status }, count)
      open.set(reading.gates_open)
      auditWaiting.set(reading.audit_waiting)
      auditLag.set(reading.audit_lag_s)
      const { problem, findings, passed_seq, passed_age_s } = reading.audit_file
      auditSound.set(problem === null ? 1 : 0)
      auditFindings.reset()
      auditFindings.inc(findings)
      if (passed_seq !== null) auditPassed.set(passed_seq)
      if (passed_age_s !== null) auditPassedAge.set(passed_age_s)
      // the database counts them, so every process tells the same
      claims.reset()
      for (const { kind, claims: count } of reading.claims_refused) claims.inc({ kind }, count)
      const countOf = (kind: string) => reading.set_aside.find((each) => each.kind === kind)?.count ?? 0
      for (const kind of SET_ASIDE_KINDS) setAside.set({ kind }, countOf(kind))
      busWaiting.set(reading.bus_waiting)
      busLag.reset()
      busDead.reset()
      for (const { subscriber, behind, dead_letters } of reading.bus_subscribers) {
        busLag.set({ subscriber }, behind)
        busDead.set({ subscriber }, dead_letters)
      }
    },

    happened(happenings) {
      for (const { lane, wait_s } of happenings.started) waits.observe({ lane }, wait_s)
      for (const { lane, status, runs } of happenings.ended) ended.inc({ lane, status }, runs)
      for (const { status, open_s } of happenings.resolved) decided.observe({ status }, open_s)
    },

    text: async () => ({ body: await registry.metrics(), content_type: registry.contentType }),
  }
}
