import type { JsonObject } from '#core/json/json.ts'
import type { InputsAnswer } from '#core/plan/preflight-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { planRisk } from '#core/policy/plan-subjects.ts'
import type { Risk } from '#core/policy/types.ts'
import type { ServiceContext } from '../context.ts'
import { configureInputs, splitInputs } from '../runs/configure-inputs.ts'
import { findTemplate } from './contracts.ts'

/** A template as a catalogue shows it. */
export interface PackTemplateItem {
  pack: string
  template: string
  version: string
  /** of the pack */
  digest: string
  /** of the template with everything that it compiles to */
  template_digest: string
  title: string
  description?: string
  risk: Risk
  action_types: string[]
  capabilities: string[]
  inputs: JsonObject
}

/** Lists every template of every valid pack. */
export async function listPacks(ctx: Pick<ServiceContext, 'packs'>): Promise<PackTemplateItem[]> {
  return ctx.packs.list().flatMap((pack) =>
    pack.templates.map((each) => ({
      pack: each.pack,
      template: each.template,
      version: each.version,
      digest: each.digest,
      template_digest: each.plan.digest,
      title: each.title,
      ...(each.description !== undefined && { description: each.description }),
      risk: planRisk(each.plan),
      action_types: each.plan.action_types,
      capabilities: each.plan.capabilities,
      inputs: each.inputs_schema,
    })),
  )
}

/** Checks inputs of a template, with the defaults of a start. Secrets are checked, and not sent back. */
export async function checkInputs(
  ctx: Pick<ServiceContext, 'presets' | 'workspace_id' | 'sha256'> & {
    packs: Pick<ServiceContext['packs'], 'findTemplate'>
  },
  asked: { pack: string; template: string; inputs: JsonObject; config_preset?: string | undefined },
): Promise<InputsAnswer> {
  const { inputs_schema } = findTemplate(ctx, asked.pack, asked.template)
  const { inputs } = await configureInputs(ctx, asked)
  const { valid, errors, normalized } = validateInputs(inputs_schema, inputs)
  return { valid, errors, normalized: splitInputs(inputs_schema, normalized).public }
}
