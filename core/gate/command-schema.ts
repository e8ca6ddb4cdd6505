import { z } from 'zod'
import { FAILURE_TEXT_LENGTH, LANES } from '../contract.ts'

const name = z.string().min(1).max(320)
const roles = z.array(z.string().max(200)).max(200)

const who = {
  by: name,
  display: z.string().max(320),
  type: z.enum(['user', 'service', 'schedule', 'system']),
  roles,
  channel: z.enum(['api', 'console', 'cli', 'magic_link', 'slack', 'email', 'temporal', 'system']),
  asserted: z.boolean(),
  at: z.iso.datetime().optional(),
  auth: z.enum(['jwt', 'magic_link', 'signature', 'none']).optional(),
  via: name.optional(),
  delegations: z
    .array(z.strictObject({ of: name, roles }))
    .max(100)
    .optional(),
  signature: z.string().max(200).optional(),
  decision_id: name,
}

/** An Update `gate.decide`. Whatever else it may look like is refused. */
export const GateCommandShape = z.strictObject({
  ...who,
  gate_id: name,
  kind: z.enum(['approve', 'reject', 'dismiss', 'cleared']),
  plan_hash: name.optional(),
  note: z.string().optional(),
})

/** A signal `gate.decide`, as people write it in the Temporal Web UI. */
export const GateSignalShape = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  gate_id: name.optional(),
  note: z.string().optional(),
})

/** An Update `run.cancel`. */
export const CancelCommandShape = z.strictObject({ ...who, reason: z.string().optional() })

const run = { run_id: name, workspace_id: name, lane: z.enum(LANES) }

/** What activities may be asked: names, and what came through the engine. */
export const ClaimShapes = {
  advanceRun: z.strictObject(run),
  recordDecision: z.strictObject({
    ...run,
    given: z.unknown(),
    signal: z.strictObject({ decision_id: name, gate_id: name.nullable() }).optional(),
  }),
  expireGate: z.strictObject({ ...run, gate_id: name }),
  recordCancel: z.strictObject({ ...run, command: z.unknown() }),
  readDelay: z.strictObject(run),
  closeRun: z.strictObject({ ...run, failure: z.string().max(FAILURE_TEXT_LENGTH).nullable() }),
}
