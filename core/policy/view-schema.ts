import { z } from 'zod'
import { STEP_OUTCOMES } from './explain-plan.ts'
import { EFFECTS, NOTE_RULES, RISKS } from './types.ts'

const Layer = z.enum(['pack', 'overlay', 'console'])
const Scope = z.object({
  environments: z.array(z.string()),
  risks: z.array(z.enum(RISKS)),
  action_types: z.array(z.string()),
  capabilities: z.array(z.string()),
})

export const PolicyListed = z
  .object({
    name: z.string(),
    layer: Layer,
    source: z.string().meta({ description: 'Where people find it' }),
    pack: z.string().optional(),
    author: z.string().optional().meta({ description: 'Who wrote it in the console' }),
    broken: z.boolean().meta({ description: 'It cannot be trusted: steps inside its scope need approval' }),
    applies_to: Scope.meta({ description: 'An empty list filters nothing' }),
    rules: z.array(
      z.object({
        effect: z.enum(EFFECTS),
        reason: z.string(),
        channels: z.array(z.string()),
        approval_role: z.string().optional(),
        require_note: z.enum(NOTE_RULES).optional(),
        prevent_self: z.literal(true).optional(),
        min_approvals: z.int().optional(),
      }),
    ),
    problems: z.array(
      z.object({
        message: z.string(),
        path: z.array(z.union([z.string(), z.int()])),
        line: z.int().optional(),
        column: z.int().optional(),
      }),
    ),
    attached: z.boolean().meta({ description: 'False where it is of the console and no environment attaches it' }),
    in_force_in: z.array(z.string()).meta({ description: 'Environments in which it counts' }),
    overridden_by: z.array(
      z.object({ layer: Layer, source: z.string(), environments: z.array(z.string()), loosens: z.boolean() }),
    ),
  })
  .meta({
    id: 'PolicyListed',
    description: 'A policy of one layer, and its effect.',
    example: {
      name: 'guard',
      layer: 'overlay',
      source: 'guard.yaml',
      broken: false,
      applies_to: { environments: ['production'], risks: [], action_types: [], capabilities: [] },
      rules: [{ effect: 'require_hitl', reason: 'people decide in production', channels: [] }],
      problems: [],
      attached: true,
      in_force_in: ['production'],
      overridden_by: [],
    },
  })

const Match = z.object({ name: z.string(), layer: Layer, effect: z.enum(EFFECTS), reason: z.string() })

export const PolicyTouch = z
  .object({
    template: z.string().meta({ description: '`pack/template`' }),
    environment: z.string(),
    step: z.string(),
    operator: z.string(),
    action_type: z.string(),
    effects: z.array(z.enum(EFFECTS)).meta({ description: 'What this policy asks for there' }),
    outcome: z.enum(STEP_OUTCOMES).meta({ description: 'The outcome of the step, by all policies in force' }),
    because: z.array(z.string()),
  })
  .meta({
    id: 'PolicyTouch',
    description: 'A step that a policy touches, as far as that is known before its input is rendered.',
    example: {
      template: 'sre/service-recovery',
      environment: 'production',
      step: 'act',
      operator: 'http.request',
      action_type: 'service.restart',
      effects: ['require_hitl'],
      outcome: 'gate',
      because: ['the overlay policy guard requires a person'],
    },
  })

const Word = z.string().min(1).max(200)
const Words = z.array(Word).max(100).default([])
export const PolicyQuestion = z
  .strictObject({
    environment: Word.meta({ description: 'One that the workspace may use' }),
    subject: z
      .strictObject({ risk: z.enum(RISKS), action_types: Words, capabilities: Words })
      .optional()
      .meta({ description: 'What would be done. Either this or `template`' }),
    template: z
      .string()
      .max(200)
      .regex(/^[^/\s]+\/[^/\s]+$/, 'a template as pack/template')
      .optional()
      .meta({ description: '`pack/template`: each of its steps, and the whole' }),
    inputs: z.record(z.string(), z.unknown()).optional().meta({ description: 'Of the template; they have to fit it' }),
    profile: Word.optional(),
  })
  .refine(({ subject, template }) => (subject === undefined) !== (template === undefined), {
    message: 'either a subject or a template',
    path: ['subject'],
  })
  .meta({
    id: 'PolicyQuestion',
    description: 'A question to the policies in force.',
    example: { environment: 'production', subject: { risk: 'high', action_types: ['service.restart'] } },
  })
export type PolicyQuestion = z.infer<typeof PolicyQuestion>

export const PolicyAnswer = z
  .object({
    environment: z.string(),
    verdict: z.object({
      effect: z.enum(EFFECTS),
      matched: z.array(Match),
      dry_run: z.boolean(),
      approval_roles: z.array(z.array(z.string())),
      channels: z.array(z.string()),
      require_note: z.enum(NOTE_RULES).optional(),
      prevent_self: z.literal(true).optional(),
      min_approvals: z.int().optional(),
      broken_policies: z.array(z.string()),
      snapshot_hash: z.string(),
      overrides: z
        .array(
          z.object({
            name: z.string(),
            layer: Layer,
            source: z.string(),
            author: z.string().optional(),
            replaces: z.array(z.object({ layer: Layer, source: z.string() })),
            loosens: z.boolean(),
          }),
        )
        .optional(),
    }),
    denied: z.array(z.string()).optional().meta({ description: 'Why no run would begin; empty when one would' }),
    steps: z
      .array(
        z.object({
          step: z.string(),
          operator: z.string(),
          action_type: z.string(),
          outcome: z.enum(STEP_OUTCOMES),
          because: z.array(z.string()),
          approval_roles: z.array(z.array(z.string())),
          matched: z.array(Match),
        }),
      )
      .optional()
      .meta({ description: 'Only of a template' }),
  })
  .meta({
    id: 'PolicyAnswer',
    description: 'What the policies in force say. Nothing was started and nothing is on record.',
  })
export type PolicyAnswer = z.infer<typeof PolicyAnswer>
