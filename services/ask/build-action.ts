import type { AskAction } from '#core/ask/ask-schema.ts'
import { startCommand } from '#core/ask/start-command.ts'
import type { JsonObject } from '#core/json.ts'
import { objectOf, textsOf } from '#core/record-data.ts'
import { checkInputs } from '../packs/check-inputs.ts'
import { findTemplate } from '../packs/find-template.ts'
import { placeOf } from '../packs/plan-context.ts'
import { preflight } from '../packs/preflight.ts'
import { configureInputs } from '../runs/configure-inputs.ts'
import { splitInputs } from '../runs/split-inputs.ts'
import type { AskContext } from './ask-ports.ts'

export interface RunProposal {
  pack: string
  template: string
  inputs: JsonObject
  environment?: string | undefined
  profile?: string | undefined
  config_preset?: string | undefined
}

/**
 * The form of a run, by what the routes of packs say of it: nothing in it is a model's word but the template and the inputs that were
 * proposed. It starts nothing. Secrets are never proposed: whoever sends the form gives them. Throws `not_found`, `validation_failed`.
 */
export async function buildAction(ctx: AskContext, proposal: RunProposal): Promise<AskAction> {
  const { pack, template, profile, config_preset } = proposal
  const { inputs_schema } = findTemplate(ctx, pack, template)
  const environment = placeOf(ctx, proposal).environment.name
  const wish = { ...proposal, inputs: splitInputs(inputs_schema, proposal.inputs).public }
  const configured = await configureInputs(ctx, wish)
  const { normalized } = await checkInputs(ctx, wish)
  const { verdict, checks, gates_expected, estimate_usd, plan_hash } = await preflight(ctx, wish)
  const inputs = normalized as JsonObject
  const properties = objectOf(inputs_schema['properties'])
  const missing = textsOf(inputs_schema['required'])
    .filter((name) => !Object.hasOwn(configured.inputs, name))
    .map((name) => ({ name, schema: objectOf(properties[name]) }))
  return {
    ...{ type: 'run_form', pack, template, inputs, missing, environment },
    ...(profile !== undefined && { profile }),
    ...(config_preset !== undefined && { config_preset }),
    preflight: { verdict, checks },
    ...{ gates_expected, estimate_usd, plan_hash },
    submit: { method: 'POST', path: `/packs/${pack}/${template}/run` },
    command: startCommand({ pack, template, inputs, environment, profile }),
  }
}
