import type { JsonObject } from '#core/json.ts'
import type { InputsAnswer } from '#core/plan/preflight-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { ServiceContext } from '../context.ts'
import { splitInputs } from '../runs/split-inputs.ts'
import { findTemplate } from './find-template.ts'

/** Whether inputs fit a template. Secrets are checked, and not sent back. */
export async function checkInputs(
  ctx: { packs: Pick<ServiceContext['packs'], 'findTemplate'> },
  { pack, template, inputs }: { pack: string; template: string; inputs: JsonObject },
): Promise<InputsAnswer> {
  const { inputs_schema } = findTemplate(ctx, pack, template)
  const { valid, errors, normalized } = validateInputs(inputs_schema, inputs)
  return { valid, errors, normalized: splitInputs(inputs_schema, normalized).public }
}
