import { z } from 'zod'
import { ACTOR_TYPES, AUTH_METHODS } from '../actor.ts'
import { AUDIT_CATEGORIES } from './types.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** A record of the chain, as it was hashed. */
export const AuditRecordShown = z
  .object({
    seq: z.int().meta({ description: 'Its place in the chain of all workspaces', example: 17 }),
    hash: Hash.meta({ description: 'sha256 over `prev_hash` and the RFC 8785 form of `event`, as lower-case hex' }),
    prev_hash: Hash.meta({ description: 'The hash of the record before, whosever that is; 64 zeros for record 1' }),
    event: z.looseObject({
      v: z.literal(1),
      seq: z.int(),
      id: z.string(),
      ts: z.string(),
      category: z.enum(AUDIT_CATEGORIES),
      action: z.string().meta({ example: 'gate.decided' }),
      workspace_id: z.string(),
      actor: z.looseObject({ type: z.enum(ACTOR_TYPES), id: z.string(), auth: z.enum(AUTH_METHODS) }),
      channel: z.string().optional(),
      run_id: z.string().optional(),
      subject: z.looseObject({ type: z.string(), id: z.string() }),
      data: z.record(z.string(), z.unknown()),
    }),
    about: z.string().optional().meta({
      description:
        'What its run is about: the reason for it, else its template. Absent without a run, or once that is forgotten. Not part of what was hashed',
    }),
    people: z
      .array(z.object({ id: z.string(), display: z.string(), email: z.string().optional() }))
      .optional()
      .meta({
        description:
          'People of the workspace whom the event names by id, with their present names; mail addresses for approvers and auditors. Not part of what was hashed',
      }),
  })
  .meta({
    id: 'AuditRecord',
    description: 'A record with all that it takes to compute its hash again.',
    example: {
      seq: 17,
      hash: '6d2b79f5'.repeat(8),
      prev_hash: 'a3c1f0e2'.repeat(8),
      event: {
        v: 1,
        seq: 17,
        id: 'aud_01hzy3v9k5m8q2w4x6z8b0d2f4',
        ts: '2026-01-05T09:30:00.000Z',
        category: 'approval',
        action: 'gate.decided',
        workspace_id: 'ws_00000000000000000000000000',
        actor: { type: 'user', id: 'usr_01hzy3v9k5m8q2w4x6z8b0d2f4', auth: 'jwt' },
        channel: 'console',
        run_id: 'run_01hzy3v9k5m8q2w4x6z8b0d2f4',
        subject: { type: 'gate', id: 'gate_01hzy3v9k5m8q2w4x6z8b0d2f4' },
        data: { decision: 'approve', status: 'approved' },
      },
      about: 'checkout answers 503',
      people: [{ id: 'usr_01hzy3v9k5m8q2w4x6z8b0d2f4', display: 'Ada Lovelace', email: 'ada@example.test' }],
    },
  })

export const AuditCheckpoint = z
  .object({
    seq: z.int().meta({ description: 'Number of the last record; 0 while there is none' }),
    hash: Hash.meta({
      description: 'Its hash. Keep both elsewhere: a log that was cut or rewritten no longer has them',
    }),
    ts: z.iso.datetime().optional().meta({ description: 'When the last record was made; absent while there is none' }),
    checked: z.object({ seq: z.int(), at: z.iso.datetime() }).optional().meta({
      description: 'The last whole pass over the file: up to which record, and when. Absent until there was one',
    }),
    problem: z
      .object({ seq: z.int(), detail: z.string() })
      .optional()
      .meta({ description: 'The log is not what the database says, and nothing acts; absent while it is sound' }),
  })
  .meta({
    id: 'AuditCheckpoint',
    description:
      'Where the chain of all workspaces ends, by the database, and what the running check found. Not signed.',
    example: { seq: 1205, hash: '6d2b79f5'.repeat(8), ts: '2026-01-05T09:30:00.000Z' },
  })
export type AuditCheckpoint = z.infer<typeof AuditCheckpoint>
