import type { JsonObject } from '#core/json.ts'
import type { InputsAnswer } from '#core/plan/preflight-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { ServiceContext } from '../context.ts'
import { configureInputs } from '../runs/configure-inputs.ts'
import { splitInputs } from '../runs/split-inputs.ts'
import { findTemplate } from './find-template.ts'

/** Whether inputs fit a template, with what a start would begin with. Secrets are checked, and not sent back. */
export async function checkInputs(
  ctx: Pick<ServiceContext, 'presets' | 'workspace_id' | 'sha256'> & {
    packs: Pick<ServiceContext['packs'], 'findTemplate'>
  },
  wish: { pack: string; template: string; inputs: JsonObject; config_preset?: string | undefined },
): Promise<InputsAnswer> {
  const { inputs_schema } = findTemplate(ctx, wish.pack, wish.template)
  const { inputs } = await configureInputs(ctx, wish)
  const { valid, errors, normalized } = validateInputs(inputs_schema, inputs)
  return { valid, errors, normalized: splitInputs(inputs_schema, normalized).public }
}
