import { LANES } from '#core/contract.ts'
import { within } from '#platform/within.ts'
import type { HealthViews, WorkerBeat } from '#store/health.ts'

interface CheckResult {
  ok: boolean
  /** the reason, in one sentence without secrets */
  detail?: string
  latency_ms: number
  [fact: string]: unknown
}

export const HEALTH_CHECKS = ['postgres', 'temporal', 'workers', 'audit'] as const
type HealthCheck = (typeof HEALTH_CHECKS)[number]

export interface Health {
  status: 'ok' | 'unavailable'
  checks: Record<HealthCheck, CheckResult>
}

export interface HealthDeps {
  health: HealthViews
  /** one round trip to the engine; rejects when it is unavailable */
  pingEngine: () => Promise<void>
  timeout_ms?: number
}

const FRESH_MS = 10_000

/**
 * Checks what runs need, each part within a second, all at the same time. Concurrent requests share the answer: the check is public, and
 * must not overload the engine.
 */
export function createHealthCheck(deps: HealthDeps): () => Promise<Health> {
  let underWay: Promise<Health> | undefined
  return () => {
    underWay ??= checkHealth(deps).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

async function checkHealth(deps: HealthDeps): Promise<Health> {
  const timed = (check: () => Promise<Partial<CheckResult>>) => runCheck(check, deps.timeout_ms ?? 1_000)
  const beats = deps.health.freshWorkers(FRESH_MS)
  beats.catch(() => {})
  const [postgres, temporal, workers, audit] = await Promise.all([
    timed(answers(deps.health.ping)),
    timed(answers(deps.pingEngine)),
    timed(async () => judgeWorkers(await beats)),
    timed(async () => {
      const [problem, fresh] = await Promise.all([deps.health.auditProblem(), beats])
      return judgeAudit(fresh, problem)
    }),
  ])
  const checks = { postgres, temporal, workers, audit }
  return { status: Object.values(checks).every((check) => check.ok) ? 'ok' : 'unavailable', checks }
}

/** A check whose only result is that there was an answer. */
function answers(ping: () => Promise<void>): () => Promise<Partial<CheckResult>> {
  return async () => {
    await ping()
    return {}
  }
}

function judgeWorkers(beats: WorkerBeat[]): Partial<CheckResult> {
  const idle = LANES.filter((lane) => !beats.some((beat) => beat.lanes.includes(lane)))
  const workers = beats.map(({ worker_id, lanes, age_ms }) => ({ worker_id, lanes, age_ms }))
  return idle.length === 0
    ? { workers }
    : { ok: false, detail: `No worker serves the lanes ${idle.join(', ')}.`, workers }
}

function judgeAudit(beats: WorkerBeat[], problem: string | null): Partial<CheckResult> {
  if (problem !== null) return { ok: false, detail: problem }
  const leader = beats.find((beat) => beat.audit_leader)
  if (leader === undefined) return { ok: false, detail: 'No worker writes the audit chain.' }
  return leader.audit_ok
    ? { leader: leader.worker_id }
    : { ok: false, detail: 'The audit sink does not accept records.', leader: leader.worker_id }
}

async function runCheck(check: () => Promise<Partial<CheckResult>>, timeoutMs: number): Promise<CheckResult> {
  const started = performance.now()
  try {
    const facts = await within(timeoutMs, check(), () => ({ ok: false, detail: `No answer within ${timeoutMs} ms.` }))
    return { ok: true, ...facts, latency_ms: since(started) }
  } catch {
    return { ok: false, detail: 'Cannot be reached.', latency_ms: since(started) }
  }
}

function since(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10
}
