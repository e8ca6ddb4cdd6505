import { z } from 'zod'
import { PolicyRule, type PolicyScope } from './schema.ts'

/** A name that fits into an address unchanged: every document of the console has one. */
export const AuthoredName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, dashes and underscores, at most 100')

/** A fault in a stored document, or a likely mistake. */
export const AuthoredProblem = z
  .object({
    line: z.int().optional(),
    column: z.int().optional(),
    message: z.string(),
    warning: z.boolean().optional().meta({ description: 'It may be meant as it is; everything else is an error' }),
  })
  .meta({ id: 'AuthoredProblem' })
export type AuthoredProblem = z.output<typeof AuthoredProblem>

/** Members of every console document. */
export const AUTHORED = {
  document: z.string().meta({ description: 'YAML as its author wrote it' }),
  author: z.string().meta({ description: 'Who wrote this text', example: 'usr_01jd4c2v7m8k9h3r5t6w1x0y2z' }),
  updated_at: z.iso.datetime(),
  digest: z.string().meta({ description: 'Of the text; audit records name it', example: `sha256:${'0'.repeat(64)}` }),
  problems: z.array(AuthoredProblem),
  etag: z.string(),
}

/** A policy that was authored in the console. */
export const ConsolePolicy = z
  .object({
    name: z.string().meta({ example: 'db-writes-need-a-dba' }),
    workspace_id: z.string(),
    applies_to: z
      .object({
        environments: z.array(z.string()),
        risks: z.array(z.string()),
        action_types: z.array(z.string()),
        capabilities: z.array(z.string()),
      } satisfies Record<keyof PolicyScope, z.ZodType>)
      .optional()
      .meta({ description: 'Absent while the policy is broken; the gate is then on in its scope' }),
    rules: z
      .array(
        z.object({
          effect: PolicyRule.shape.effect,
          reason: z.string(),
          channels: z.array(z.string()),
          approval_role: z.string().optional(),
          require_note: PolicyRule.shape.require_note,
          prevent_self: PolicyRule.shape.prevent_self,
          min_approvals: PolicyRule.shape.min_approvals,
        }),
      )
      .optional(),
    attached_in: z
      .array(z.string())
      .meta({ description: 'Environments that attach it. Anywhere else it has no effect', example: ['production'] }),
    replaces: z
      .array(z.object({ layer: z.string(), source: z.string() }))
      .meta({ description: 'Policies of its name in lower layers, which it overrides where it is attached' }),
    loosens: z.boolean().meta({
      description:
        'In the answer to a change: something may be laxer now than before it. In any other answer: it is not certain to be as strict as what it replaces',
    }),
    ...AUTHORED,
  })
  .meta({ id: 'ConsolePolicy', description: 'A policy that was authored in the console.' })
export type ConsolePolicy = z.output<typeof ConsolePolicy>

/** A deleted policy. */
export const DeletedPolicy = z.object({
  name: z.string(),
  attached_in: z.array(z.string()).meta({
    description: 'Environments that attach it still: the gate is on in them until they do not, or it is there again',
  }),
  loosens: z.boolean().meta({ description: 'Something may be laxer now than with it' }),
})
export type DeletedPolicy = z.output<typeof DeletedPolicy>
