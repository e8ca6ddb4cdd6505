import { z } from 'zod'
import type { AskAction } from '#core/ask/ask-schema.ts'
import { type JsonObject, objectOf, textsOf } from '#core/json/json.ts'
import { type CommandedStart, runCommand } from '#core/plan/run-command.ts'
import { withoutSecrets } from '#core/secret/secret-mark.ts'
import { findTemplate } from '../packs/contracts.ts'
import { checkInputs } from '../packs/list-packs.ts'
import { environmentOf } from '../packs/plan-context.ts'
import { preflight } from '../packs/preflight.ts'
import { configureInputs } from '../runs/configure-inputs.ts'
import type { AskContext } from './ask-ports.ts'
import { TemplateName } from './define-ask-tool.ts'

const Name = z.string().min(1).max(100)

/** Called by the model to propose a run. It only prepares the form that a user sends. */
export const proposeRunTool = {
  name: 'propose_run',
  description:
    'Prepares the form of a run for a person to send. It starts nothing. Checks inputs, policies, budgets and who may start it.',
  input: z.strictObject({
    template: TemplateName,
    inputs: z
      .record(z.string(), z.unknown())
      .default({})
      .transform((fields) => fields as JsonObject),
    environment: Name.optional(),
    profile: Name.optional(),
    config_preset: Name.optional(),
  }),
}

export interface RunProposal {
  pack: string
  template: string
  inputs: JsonObject
  environment?: string | undefined
  profile?: string | undefined
  config_preset?: string | undefined
}

/**
 * Builds the form of a run, from the routes of packs: only the template and the inputs are the model's proposal. It starts nothing. Secrets
 * are never proposed: the user who sends the form adds them. Throws `not_found`, `validation_failed`.
 */
export async function buildAction(ctx: AskContext, proposal: RunProposal): Promise<AskAction> {
  const { pack, template, profile, config_preset } = proposal
  const { inputs_schema, plan } = findTemplate(ctx, pack, template)
  const environment = environmentOf(ctx, proposal).environment.name
  const request = { ...proposal, inputs: withoutSecrets(inputs_schema, proposal.inputs) }
  const configured = await configureInputs(ctx, request)
  const { normalized } = await checkInputs(ctx, request)
  const { verdict, checks, gates_expected, estimate_usd, plan_hash } = await preflight(ctx, request)
  const inputs = withoutSecrets(inputs_schema, normalized as JsonObject)
  const properties = objectOf(inputs_schema['properties'])
  const missing = textsOf(inputs_schema['required'])
    .filter((name) => !Object.hasOwn(configured.inputs, name))
    .map((name) => ({ name, schema: objectOf(properties[name]) }))
  const start = { pack, template, inputs, environment, profile, config_preset }
  return {
    type: 'run_form',
    pack,
    template,
    inputs,
    missing,
    environment,
    ...(profile !== undefined && { profile }),
    ...(config_preset !== undefined && { config_preset }),
    preflight: { verdict, checks },
    gates_expected,
    estimate_usd,
    plan_hash,
    template_digest: plan.digest,
    submit: { method: 'POST', path: `/packs/${pack}/${template}/run` },
    command: runCommand({ ...start, ...(missing.length === 0 && { plan_hash }) }) ?? refusedCommand(start, plan_hash),
  }
}

/** A value that has no form on a command line is left out: the start is then another plan, which its hash refuses, wherever it would run. */
function refusedCommand({ pack, template, environment }: CommandedStart, plan_hash: string): string {
  const known = { pack, template, inputs: {}, plan_hash }
  return runCommand({ ...known, environment }) ?? `svc run ${pack}/${template} --plan-hash ${plan_hash}`
}
