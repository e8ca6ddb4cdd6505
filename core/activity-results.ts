import type { LaneActivities, LedgerActivities } from './contract.ts'
import { GATE_STATUSES } from './gate/types.ts'
import {
  CONNECTION_NOTICE_KINDS,
  DIGEST_NOTICE_KINDS,
  HALT_NOTICE_KINDS,
  NOTICE_KINDS,
  type NoticeActivities,
} from './notify/contract.ts'
import type { PipelineActivities } from './pipeline/contract.ts'
import { PIPELINE_ENDS } from './pipeline/transitions.ts'
import type { RemoteJobActivities } from './remote-job/contract.ts'
import { RUN_STATUSES, TERMINAL_STATUSES } from './run/status.ts'
import type { ScheduleActivities } from './schedule/contract.ts'

type Check = (value: unknown) => boolean

const object =
  (fields: Record<string, Check>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]))
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
const oneOf =
  (...known: unknown[]): Check =>
  (value) =>
    known.includes(value)
const name: Check = (value) => typeof value === 'string' && /^[\x20-\x7e]{1,100}$/.test(value)
const duration: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const none: Check = (value) => value === null
const absent: Check = (value) => value === undefined
const time: Check = (value) => typeof value === 'string' && Number.isFinite(Date.parse(value))
const yes: Check = (value) => typeof value === 'boolean'

const list =
  (of: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(of)

const text: Check = (value) => typeof value === 'string'

const refused = object({ refused: name })
const notice = (...kinds: string[]) =>
  object({ notice_id: duration, kind: oneOf(...kinds), channel: (value) => typeof value === 'string' })

/**
 * Shapes of our activities' results. Anyone who reaches the engine can answer an activity in place of our workers, so a result is a claim:
 * one of another shape is refused.
 */
export const isResultOf: Record<
  | keyof (LaneActivities & LedgerActivities & PipelineActivities & ScheduleActivities & RemoteJobActivities)
  | Extract<keyof NoticeActivities, `plan${string}`>,
  Check
> = {
  advanceRun: either(
    object({ kind: oneOf('parked'), gate_id: name, step: name }),
    object({ kind: oneOf('delayed'), delay_ms: duration, reason: name }),
    object({ kind: oneOf('closed'), status: oneOf(...TERMINAL_STATUSES) }),
    object({ kind: oneOf('yielded', 'stopped', 'cancelling') }),
  ),
  recordDecision: either(refused, object({ gate_id: name, status: oneOf(...GATE_STATUSES), resolved: yes })),
  expireGate: object({ status: oneOf(...GATE_STATUSES), remaining_ms: duration }),
  readDelay: object({ remaining_ms: duration }),
  recordCancel: either(refused, object({ status: oneOf(...RUN_STATUSES) })),
  advancePipeline: either(
    object({ kind: oneOf('wait'), for_ms: either(none, duration), summary: name }),
    object({ kind: oneOf('ended'), status: oneOf(...PIPELINE_ENDS) }),
  ),
  closeRun: object({ status: oneOf(...TERMINAL_STATUSES) }),
  fireSchedule: either(
    object({ kind: oneOf('done'), outcome: name }),
    object({ kind: oneOf('wait'), look_ms: either(absent, duration) }),
  ),
  startRemoteJob: either(
    object({
      kind: oneOf('schedule'),
      run_id: name,
      spec: object({
        task_queue: text,
        activity: text,
        activity_id: text,
        args: list(() => true),
        schedule_to_start_ms: duration,
        start_to_close_ms: duration,
        heartbeat_ms: either(none, duration),
      }),
    }),
    object({ kind: oneOf('ended') }),
  ),
  recordRemoteJob: object({ recorded: oneOf(true) }),
  planNotices: object({
    open: yes,
    notices: list(notice(...NOTICE_KINDS)),
    now: either(absent, time),
    next_at: either(none, time),
    expires_at: time,
    ends_at: time,
  }),
  planEnd: list(notice('ended')),
  planHalt: list(notice(...HALT_NOTICE_KINDS)),
  planConnection: list(notice(...CONNECTION_NOTICE_KINDS)),
  planDigest: list(notice(...DIGEST_NOTICE_KINDS)),
}
