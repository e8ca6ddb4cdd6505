import { z } from 'zod'
import { AuthoredProblem } from './console-schema.ts'
import { STEP_OUTCOMES } from './explain-plan.ts'
import { NOTE_RULES } from './types.ts'

/** As large as the document of a policy may be. */
const MAX_CHARACTERS = 256 * 1024

export const PolicyDraft = z
  .strictObject({
    document: z.string().max(MAX_CHARACTERS).meta({ description: 'YAML of one policy, as it would be saved' }),
    name: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The policy of the console that it would replace', example: 'night-guard' }),
    attach: z
      .array(z.string().min(1).max(100))
      .max(200)
      .optional()
      .meta({ description: 'Environments that would attach it; default: those that do now' }),
  })
  .meta({
    id: 'PolicyDraft',
    description: 'A policy before it is saved.',
    example: {
      document: 'name: night-guard\nrules: [{ effect: require_hitl, reason: Nobody restarts at night alone. }]\n',
      attach: ['production'],
    },
  })
export type PolicyDraft = z.output<typeof PolicyDraft>

const Demand = z
  .object({
    outcome: z.enum(STEP_OUTCOMES),
    approval_roles: z.array(z.array(z.string())).meta({ description: 'All of these clauses, any role of each' }),
    dry_run: z.boolean(),
    require_note: z.enum(NOTE_RULES).optional(),
    prevent_self: z.literal(true).optional(),
    min_approvals: z.int().optional(),
  })
  .meta({ id: 'StepDemand', description: 'The demands on a step.' })

const Change = z
  .object({
    template: z.string().meta({ description: '`pack/template`, as it was when the runs began' }),
    environment: z.string(),
    profile: z.string(),
    step: z.string(),
    operator: z.string(),
    action_type: z.string(),
    before: Demand.meta({ description: 'By the policies in force' }),
    after: Demand.meta({ description: 'With the draft' }),
    looser: z.boolean().meta({ description: 'It would drop a demand' }),
    because: z.array(z.string()).meta({ description: 'What leads to the new outcome' }),
    runs: z.int().meta({ description: 'Recorded runs that hold the step' }),
    newest_run_id: z.string(),
  })
  .meta({ id: 'RehearsedChange', description: 'A step of recorded runs that the draft would judge differently.' })
export type RehearsedChange = z.output<typeof Change>

export const PolicyRehearsal = z
  .object({
    sound: z.boolean().meta({ description: 'It could be saved' }),
    name: z.string().optional(),
    problems: z.array(AuthoredProblem),
    loosens: z.boolean().meta({
      description: 'Something may be laxer once it is saved, and attached to these environments and no others',
    }),
    attach: z.array(z.string()).meta({ description: 'Environments that are taken as attaching it' }),
    since: z.iso.datetime().meta({ description: 'The oldest time of a run that is looked at' }),
    runs: z.object({
      judged: z.int(),
      changed: z.int().meta({ description: 'With a step that would be judged differently' }),
      looser: z.int().meta({ description: 'With a step that would have fewer demands' }),
      cut: z.boolean().meta({ description: 'There are more runs than were looked at; the newest were' }),
    }),
    changes: z.array(Change).meta({ description: 'The looser ones first, then by how many runs they touch' }),
  })
  .meta({
    id: 'PolicyRehearsal',
    description: 'The effect of a policy on the runs of the last 30 days. Nothing was saved.',
  })
export type PolicyRehearsal = z.output<typeof PolicyRehearsal>
