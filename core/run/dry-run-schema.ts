import { z } from 'zod'
import { EFFECTS } from '../policy/types.ts'

/** What a step would come to. `unknown`: it depends on what steps would bring that were not executed. */
const WOULD = ['act', 'read', 'wait', 'be_skipped', 'be_refused', 'fail', 'unknown'] as const

const Usd = z.number().min(0)
const Names = z.array(z.string())

const PredictedGate = z.object({
  because: Names.meta({ description: 'Why a person would be asked' }),
  authorities: z.object({ operator: z.boolean(), profile: z.boolean(), policy: z.enum(EFFECTS), pack: z.boolean() }),
  approvals: z.int().min(1),
  approval_roles: z.array(Names).meta({ description: 'AND of ORs; empty: anyone who may approve at all' }),
  prevent_self: z.boolean(),
})

export const PredictedStep = z
  .object({
    id: z.string(),
    name: z.string(),
    operator: z.string(),
    would: z.enum(WOULD),
    executed: z.boolean().meta({ description: 'A read that was done; everything else was only looked at' }),
    summary: z.string(),
    action_type: z.string().optional(),
    targets: z.object({ kind: z.string(), ids: Names }).optional(),
    command: z.string().optional().meta({ description: 'The operation as it would be sent' }),
    diff: z.object({ format: z.string(), body: z.string() }).optional(),
    plan_hash: z.string().optional(),
    policy: z
      .object({
        effect: z.enum(EFFECTS),
        matched: z.array(
          z.object({ name: z.string(), layer: z.string(), effect: z.enum(EFFECTS), reason: z.string() }),
        ),
        broken_policies: Names,
      })
      .optional(),
    gate: PredictedGate.optional().meta({ description: 'The gate that would open; absent where none would' }),
    simulation: z
      .object({
        ok: z.boolean(),
        not_tried: z.boolean().optional(),
        summary: z.string(),
        details: z.unknown().optional(),
      })
      .optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    depends_on: Names.optional().meta({ description: 'Steps that were not executed and whose outputs it needs' }),
    without: Names.optional().meta({ description: 'Earlier steps whose effect is missing from what it would find' }),
    estimate_usd: Usd.optional().meta({ description: 'The most that one attempt may cost' }),
  })
  .meta({ id: 'PredictedStep', description: 'One step of a dry run: what it would do.' })
export type PredictedStep = z.infer<typeof PredictedStep>

export const DryRunReport = z
  .object({
    steps: z.array(PredictedStep),
    executed: Names.meta({ description: 'Steps that were executed: reads that nobody need approve' }),
    gates: Names.meta({ description: 'Steps at which a gate would open' }),
    unknown: Names.meta({ description: 'Steps that could not be judged' }),
    estimate_usd: Usd.meta({ description: 'One attempt of each step that would do something and could be judged' }),
    cap_usd: Usd,
    fits: z.boolean(),
  })
  .meta({ id: 'DryRunReport', description: 'What a dry run found: the `dry_run` of its outputs.' })
export type DryRunReport = z.infer<typeof DryRunReport>
