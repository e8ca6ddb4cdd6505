import { z } from 'zod'
import { WorkspaceId } from '../workspace/schema.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Name = z.string().min(1).max(200)
const Held = z.object({
  runs: z.int().meta({ description: 'Active runs that the scope covers, also those that wait for an approval' }),
})

const Scope = z
  .strictObject({
    workspace: WorkspaceId.optional(),
    environment: Name.optional().meta({ description: 'Name of an environment', example: 'production' }),
    template: z
      .string()
      .max(200)
      .regex(/^[^/\s]+\/[^/\s]+$/, 'a template as pack/template')
      .optional()
      .meta({ description: '`pack/template`', example: 'incident/service-recovery' }),
    requester: Name.optional().meta({
      description:
        'Id of a person, service account or schedule that asked for runs, or in whose name they were asked for. People and service accounts also by e-mail address',
      example: 'usr_01hzy3v9k5m8q2w4x6z8b0d2f4',
    }),
  })
  .meta({
    id: 'HaltScope',
    description: 'What a halt covers: runs that fit everything that is named. An empty scope is everything.',
    example: { environment: 'production' },
  })

const Reason = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .meta({ description: 'Shown to everybody whom the halt stops', example: 'The database is being restored' })

export const HaltDraft = z.strictObject({ scope: Scope.default({}), reason: Reason }).meta({
  id: 'HaltDraft',
  description: 'What is to stop, and why.',
  example: { scope: { environment: 'production' }, reason: 'The database is being restored' },
})
export type HaltDraft = z.output<typeof HaltDraft>

export const HaltRecord = z
  .object({
    id: z.string().meta({ example: 'halt_01hzy3v9k5m8q2w4x6z8b0d2f4' }),
    scope: Scope,
    reason: z.string(),
    by: z.object({ type: z.string(), id: z.string(), display: z.string() }),
    created_at: Time,
    held: Held,
    refused: z.object({
      starts: z.int().meta({ description: 'Starts that it has refused, in your workspaces; dry runs are not counted' }),
    }),
    lifted_at: Time.optional().meta({ description: 'Absent while it is in force' }),
    may_lift: z.array(z.string()).meta({
      description:
        'Admins and owners who may lift it, up to ten, those of the workspace first: by name, or by mail address for those who may see addresses. Where nobody can be named to the caller, `an owner or admin of all workspaces` or `an admin of the workspace`. Empty only where there are no admins',
      example: ['Ada'],
    }),
  })
  .meta({
    id: 'Halt',
    description: 'A halt: nothing that its scope covers begins until it is lifted.',
    example: {
      id: 'halt_01hzy3v9k5m8q2w4x6z8b0d2f4',
      scope: { environment: 'production' },
      reason: 'The database is being restored',
      by: { type: 'user', id: 'usr_01hzy3v9k5m8q2w4x6z8b0d2f4', display: 'Ann' },
      created_at: '2026-01-05T09:30:00.000Z',
      held: { runs: 12 },
      refused: { starts: 3 },
      may_lift: ['Ada'],
    },
  })
export type HaltRecord = z.infer<typeof HaltRecord>
