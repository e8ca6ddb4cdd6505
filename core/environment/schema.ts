import { z } from 'zod'
import { CONNECTION_KINDS } from '../connection/kind-schema.ts'
import { LANES, LEDGER_QUEUE } from '../contract.ts'
import { FreezeList, LongDurationMs } from '../freeze/freeze-schema.ts'
import { isStorableText } from '../json/storable-json.ts'
import { RoleBindings } from '../models/role-schema.ts'
import { NAME, Name, WORKSPACE_SLUG } from '../names/name-schema.ts'
import { AttestKey } from '../remote-job/attest-schema.ts'
import { TERMINAL_STATUSES } from '../run/status.ts'
import { ENVIRONMENT_CLASSES, OBJECT_STORES, ON_LOST_STANDING } from './environment.ts'
import { AllowedProcesses } from './process-schema.ts'

const Text = z.string().min(1).max(1_000)
const Usd = z.number().min(0).max(1_000_000)

const SECRET_RULE = 'a secret reference: env:NAME, file:path or connection:<name>, never the secret itself'

/** A secret is never written down, only where to find it. */
const SecretReference = z.string().regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/)

/** The name or id of a connection that is kept in the console. */
const STORED = new RegExp(`^connection:(${NAME})$`)

/** Returns the connection of the console that a reference names; undefined for any other reference. */
export function storedConnection(reference: string): string | undefined {
  return STORED.exec(reference)?.[1]
}

const ConnectionKind = z.enum(CONNECTION_KINDS, `takes ${CONNECTION_KINDS.join(', ')}`)
const ConnectionName = z.string().min(1).max(100)

/** Connections of the console by the name that steps have for them. */
export const StoredConnections = z.record(
  ConnectionName,
  z.strictObject({
    kind: ConnectionKind,
    url: z.string().regex(STORED, 'connection:<name>: secrets are set in environments/<name>.yaml only'),
  }),
)

/** Where an environment keeps the artifacts of its runs. */
export const EnvironmentBackends = z
  .strictObject({
    object_store: z
      .enum(OBJECT_STORES, `takes ${OBJECT_STORES.join(', ')}`)
      .meta({ description: '`fs`: in the database of the service; `s3`: in a bucket', example: 's3' }),
    object_connection: z
      .string()
      .regex(new RegExp(`^(?!conn_)${NAME}$`), 'the name of a connection of the console')
      .optional()
      .meta({ description: 'With `s3`: a connection of the console, of the kind `s3`', example: 'artifacts' }),
  })
  .refine(({ object_store, object_connection }) => (object_store === 's3') === (object_connection !== undefined), {
    path: ['object_connection'],
    error: 's3 takes the name of a connection, and fs none',
  })

const WorkspaceGrants = z
  .array(z.string().regex(new RegExp(`^(\\*|${WORKSPACE_SLUG})$`), 'the slug of a workspace, or "*" for all of them'))
  .max(1_000)
  .refine((slugs) => !slugs.includes('*') || slugs.length === 1, '"*" means all workspaces, so it must be the only one')

/** A queue of ours has our own activities, which nobody may schedule. */
const ForeignQueue = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => isStorableText(name) && name.trim() === name, 'a name without spaces around it')
  .refine(
    (name) => ![...LANES, LEDGER_QUEUE].some((ours) => ours === name) && !name.startsWith('/_sys/'),
    'a task queue of this service: name one of your own workers',
  )

/** An environment file. Every field is optional: an absent one keeps the value below it. */
export const EnvironmentFile = z.strictObject({
  apiVersion: z.literal('svc/v1').optional(),
  name: Name,
  class: z.enum(ENVIRONMENT_CLASSES, `takes ${ENVIRONMENT_CLASSES.join(', ')}`).optional(),
  workspaces: WorkspaceGrants.optional(),
  policies: z.array(Text).optional(),
  knowledge: z.array(Text).max(200).optional(),
  cost_gate: z.strictObject({ max_usd: Usd.optional(), daily_usd: Usd.optional() }).optional(),
  approval: z
    .strictObject({
      ttl_hours: z.number().positive().max(87_600).optional(),
      prevent_self: z.boolean().optional(),
      min_approvals: z.int().min(1).max(100).optional(),
      remind_after: LongDurationMs.optional(),
      escalate_after: LongDurationMs.optional(),
      escalate_to: z.array(Text).optional(),
      channels: z.array(Text).optional(),
      links: z.boolean().optional(),
    })
    .optional(),
  notify: z
    .strictObject({
      on: z
        .array(z.enum(TERMINAL_STATUSES, `takes ${TERMINAL_STATUSES.join(', ')}`))
        .min(1)
        .default(['failed']),
      channels: z.array(Text).min(1),
    })
    .optional(),
  freeze: FreezeList.optional(),
  egress: z.array(Text).optional(),
  processes: AllowedProcesses.optional(),
  on_lost_standing: z.enum(ON_LOST_STANDING, `takes ${ON_LOST_STANDING.join(', ')}`).optional(),
  profile: Name.optional(),
  backends: EnvironmentBackends.optional(),
  queues: z.record(Name, z.strictObject({ task_queue: ForeignQueue, attest: AttestKey.exactOptional() })).optional(),
  connections: z
    .record(
      ConnectionName,
      z.strictObject({ kind: ConnectionKind, url: z.union([SecretReference, z.string().regex(STORED)], SECRET_RULE) }),
    )
    .optional(),
})
export type EnvironmentFile = z.output<typeof EnvironmentFile>

/** A profile file. Unknown keys are refused: a typo must not loosen. */
export const ProfileFile = z.strictObject({
  apiVersion: z.literal('svc/v1').optional(),
  name: Name,
  environment: Name.optional(),
  model_roles: RoleBindings.optional(),
  audit: z
    .strictObject({
      sink: z.literal('file', 'takes file: the audit log of the deployment is the only sink').optional(),
      model_texts: z.boolean().optional(),
      anchor: meaningless('checkpoints of the audit log are not written yet; it will mean something when they are'),
    })
    .optional(),
  requires_approval: z.array(Text).default([]),
  limits: z.strictObject({ max_usd: Usd.optional() }).optional(),
  require_plan_hash: z.boolean().optional(),
})
export type ProfileFile = z.output<typeof ProfileFile>

/** Refuses a key that has no effect. */
function meaningless(why: string) {
  return z.never(`${why}, so leave it out`).optional()
}
