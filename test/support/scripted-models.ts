import { SCRIPTED_MODELS } from '#cli/dev/model-server.ts'
import type { Model, ModelRoles } from '#core/models/model.ts'

/** A dollar for ten thousand tokens in, and for a thousand out: so that a call costs something. */
export const PRICES = { input: 100_000_000, output: 1_000_000_000 }

/** The models of `startModelServer`, all at one price. */
export function scriptedModels(
  base_url: string,
  roles: ModelRoles = { default: { model: 'echo' } },
): { models: Model[]; roles: ModelRoles } {
  return {
    models: Object.keys(SCRIPTED_MODELS).map((id) => ({
      ...{ id, model: id, provider: 'openai_compatible', base_url, prices: PRICES },
      ...{ limits: { context: 8_000, output: 100 }, timeout_ms: 1_500, structured_outputs: true },
    })),
    roles,
  }
}
