import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { visibleJsonText } from '#core/text/visible-text.ts'
import { digestOf } from '#platform/sha256.ts'

const Name = z.string().min(1).max(200)

/** A planned start: its plan, its preflight, and the command that makes it. */
export const StartPlan = z.strictObject({
  type: z.literal('start_plan'),
  v: z.literal(1),
  pack: Name,
  template: Name,
  version: z.string(),
  title: z.string(),
  risk: z.string(),
  /** null where it is the caller's own */
  workspace: z.string().nullable(),
  environment: z.string().nullable(),
  profile: z.string().nullable(),
  config_preset: z.string().nullable(),
  /** every input but the secret ones */
  inputs: z.record(z.string(), z.json()),
  /** names of secret inputs that the caller gave, and gives again with the start */
  secrets: z.array(z.string()),
  missing: z.array(z.object({ name: z.string(), schema: z.record(z.string(), z.json()) })),
  /** faults of the inputs */
  faults: z.array(z.object({ pointer: z.string(), msg: z.string() })),
  steps: z.array(z.object({ step: z.string(), operator: z.string(), action_type: z.string() })),
  checks: z.array(z.object({ id: z.string(), status: z.string(), message: z.string(), fix: z.string().optional() })),
  policy: z.object({ effect: z.string(), matched: z.array(z.record(z.string(), z.json())) }),
  gates_expected: z.array(
    z.object({ step: z.string(), because: z.array(z.string()), approval_roles: z.array(z.array(z.string())) }),
  ),
  estimate_usd: z.number().nullable(),
  template_digest: z.string(),
  plan_hash: z.string(),
  runnable: z.boolean(),
  /** null where it is not runnable, or an input cannot be written on a command line */
  command: z.string().nullable(),
  /** of everything above: detects edits of the plan */
  digest: z.string(),
})
export type StartPlan = z.infer<typeof StartPlan>

/** The plan with its digest. */
export function sealPlan(plan: Omit<StartPlan, 'digest'>): StartPlan {
  return { ...plan, digest: digestOf(canonicalText(plan)) }
}

/** The text of a plan, the same for the same state: canonical JSON (RFC 8785), with what would not be seen as escapes. */
export function planText(plan: StartPlan): string {
  return visibleJsonText(canonicalText(plan))
}

/** Parses a plan file. Throws `validation_failed` where it is none, `plan_changed` where it was edited since it was made. */
export function readPlan(text: string): StartPlan {
  const { data: plan, error } = StartPlan.safeParse(parse(text))
  if (plan === undefined) {
    const [first] = error.issues
    const where = first === undefined || first.path.length === 0 ? '' : ` (${first.path.join('.')}: ${first.message})`
    throw new DomainError('validation_failed', `this is no plan of \`svc ask plan --json\`${where}`)
  }
  const { digest, ...rest } = plan
  if (digest !== digestOf(canonicalText(rest)))
    throw new DomainError('plan_changed', 'the plan was edited since it was made: make it again with svc ask plan')
  return plan
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
