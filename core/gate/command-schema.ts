import { z } from 'zod'
import { ACTOR_TYPES, AUTH_METHODS } from '../actor.ts'
import {
  type CancelCommand,
  FAILURE_TEXT_LENGTH,
  type GateCommand,
  type GateSignal,
  LANES,
  type LaneActivities,
  type LedgerActivities,
} from '../contract.ts'
import type { NoticeActivities } from '../notify/contract.ts'
import type { PipelineActivities } from '../pipeline/contract.ts'
import { REMOTE_FAILURES, type RemoteJobActivities } from '../remote-job/contract.ts'
import type { ScheduleActivities } from '../schedule/contract.ts'
import { CHANNELS, DECISIONS } from './types.ts'

/** As in bodies of requests: text that a database cannot store is invalid. */
const text = z.string().refine((value) => !value.includes('\0') && value.isWellFormed())
const name = text.min(1).max(320)
const note = text.max(4_000)
const roles = z.array(text.max(200)).max(200)

const who = {
  by: name,
  display: text.max(320),
  type: z.enum(ACTOR_TYPES),
  roles,
  channel: z.enum(CHANNELS),
  asserted: z.boolean(),
  at: z.iso.datetime().exactOptional(),
  auth: z.enum(AUTH_METHODS).exactOptional(),
  via: name.exactOptional(),
  behind: z.array(name).max(100).exactOptional(),
  delegations: z
    .array(z.strictObject({ of: name, roles }))
    .max(100)
    .exactOptional(),
  signature: text.max(200).exactOptional(),
  decision_id: name,
}

/** The payload of the Update `gate.decide`. Anything else is refused. */
export const GateCommandShape: z.ZodType<GateCommand> = z.strictObject({
  ...who,
  gate_id: name,
  kind: z.enum(['approve', 'reject', 'dismiss', 'cleared']),
  plan_hash: name.exactOptional(),
  note: note.exactOptional(),
})

/** A signal `gate.decide`, as people write it in the Temporal Web UI. */
export const GateSignalShape: z.ZodType<GateSignal> = z.strictObject({
  decision: z.enum(DECISIONS),
  gate_id: name.exactOptional(),
  note: text.exactOptional(),
})

/** An Update `run.cancel`. */
export const CancelCommandShape: z.ZodType<CancelCommand> = z.strictObject({ ...who, reason: note.exactOptional() })

const gate = { gate_id: name, run_id: name, workspace_id: name }
const ended = { run_id: name, workspace_id: name }
const halt = { halt_id: name, notice: z.int().nonnegative() }
const digest = { digest_id: name, notice: z.int().nonnegative() }
const connection = { authorization_id: name, notice: z.int().nonnegative() }
const run = { run_id: name, workspace_id: name, lane: z.enum(LANES) }

const remote = { job_id: name }

type Claims = LaneActivities &
  LedgerActivities &
  NoticeActivities &
  ScheduleActivities &
  PipelineActivities &
  RemoteJobActivities

/** Requests that reach activities through the engine: identifiers, and unverified content. */
export const ClaimShapes = {
  advanceRun: z.strictObject(run),
  recordDecision: z.strictObject({
    ...run,
    given: z.unknown(),
    signal: z.strictObject({ decision_id: name, gate_id: name.nullable() }).exactOptional(),
  }),
  expireGate: z.strictObject({ ...run, gate_id: name }),
  recordCancel: z.strictObject({ ...run, command: z.unknown() }),
  readDelay: z.strictObject(run),
  closeRun: z.strictObject({ ...run, failure: z.string().max(FAILURE_TEXT_LENGTH).nullable() }),
  planNotices: z.strictObject(gate),
  announceGate: z.strictObject({ ...gate, notice_id: z.int().positive() }),
  planEnd: z.strictObject(ended),
  announceEnd: z.strictObject({ ...ended, notice_id: z.int().positive() }),
  planHalt: z.strictObject(halt),
  announceHalt: z.strictObject({ ...halt, notice_id: z.int().positive() }),
  planDigest: z.strictObject(digest),
  announceDigest: z.strictObject({ ...digest, notice_id: z.int().positive() }),
  planConnection: z.strictObject(connection),
  announceConnection: z.strictObject({ ...connection, notice_id: z.int().positive() }),
  advancePipeline: z.strictObject({ pipeline_id: name, workspace_id: name, cancelled: z.boolean() }),
  startRemoteJob: z.strictObject(remote),
  recordRemoteJob: z.strictObject({
    ...remote,
    end: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('returned') }),
      z.strictObject({
        kind: z.literal('failed'),
        why: z.enum(REMOTE_FAILURES),
        type: z.string().max(FAILURE_TEXT_LENGTH),
        message: z.string().max(FAILURE_TEXT_LENGTH),
      }),
    ]),
  }),
  fireSchedule: z.strictObject({ schedule_id: name, workspace_id: name, nominal_at: z.iso.datetime({ precision: 0 }) }),
} satisfies { [Name in keyof Claims]: z.ZodType<Parameters<Claims[Name]>[0]> }
