import { z } from 'zod'
import { Name, WORKSPACE_SLUG } from '../names/name-schema.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })

export const WorkspaceId = z
  .string()
  .regex(/^ws_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a workspace', example: 'ws_01hzy3v9k5m8q2w4x6z8b0d2f4' })

const Slug = z
  .string()
  .regex(new RegExp(`^${WORKSPACE_SLUG}$`), 'lower-case letters, digits and dashes, at most 63')
  .meta({ description: 'Short name, unique and never changed', example: 'payments' })
const Title = z.string().trim().min(1).max(200).meta({ example: 'Payments' })
const EnvironmentName = Name.meta({ description: 'Environment of runs that name none', example: 'staging' })
const AtOnce = z.int().min(1).max(10_000)

const Limits = z
  .strictObject({
    realtime: AtOnce.optional().meta({
      description: 'Operations that run at once in this lane, beneath its own limit',
    }),
    background: AtOnce.optional().meta({
      description: 'Operations that run at once in this lane, beneath its own limit',
    }),
    daily_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'US dollars over all environments, per UTC day', example: 25 }),
  })
  .meta({ id: 'WorkspaceLimits', description: 'What the workspace may take; an absent limit does not apply.' })

export const Workspace = z
  .object({
    id: WorkspaceId,
    slug: Slug,
    name: z.string(),
    status: z.enum(['active', 'archived']),
    protected: z.boolean().meta({ description: 'While true, only an owner who repeats the slug can archive it' }),
    default_environment: z.string(),
    limits: Limits,
    etag: z.string().meta({ description: 'For `If-Match`', example: '"3"' }),
    created_at: Time,
    archived_at: Time.optional(),
  })
  .meta({ id: 'Workspace', description: 'A tenant: runs, their records and their limits belong to one.' })
export type Workspace = z.infer<typeof Workspace>

export const WorkspaceDraft = z
  .strictObject({
    slug: Slug,
    name: Title,
    default_environment: EnvironmentName.optional(),
    limits: Limits.optional(),
  })
  .meta({ id: 'WorkspaceDraft' })
export type WorkspaceDraft = z.infer<typeof WorkspaceDraft>

export const WorkspaceEdit = z
  .strictObject({
    name: Title.optional(),
    status: z.enum(['active', 'archived']).optional(),
    protected: z.boolean().optional(),
    limits: Limits.optional().meta({ description: 'Replaces all limits' }),
    default_environment: EnvironmentName.optional(),
  })
  .meta({ id: 'WorkspaceEdit', description: 'What changes; what is absent stays.' })
export type WorkspaceEdit = z.infer<typeof WorkspaceEdit>

/** Limits of one workspace; an absent one does not apply. */
export interface WorkspaceLimits {
  /** operations that run at once in the lane, beneath the lane's own limit */
  realtime?: number
  background?: number
  /** over all environments of the workspace, per UTC day */
  daily_usd?: number
}
