import type { ModelCatalog } from '#core/models/registry-schema.ts'
import { pricesShown } from './list-registered-models.ts'
import type { ModelAdminPorts } from './model-ports.ts'

const NOTE =
  "Providers change prices without telling anybody here: check them on your provider's page before you rely on a cap. `limits.output` is what one answer may take here; a provider may allow more."

/** The models that this release knows, and which of them are bound. */
export function getModelCatalog({ catalog, models }: Pick<ModelAdminPorts, 'catalog' | 'models'>): ModelCatalog {
  const bound = models.bound().models
  const { read_at, source } = catalog
  return {
    ...{ read_at, source, note: NOTE },
    models: catalog.models.map(({ id, provider, prices, limits, tiered = false }) => ({
      ...{ id, provider, prices: pricesShown(prices), limits, tiered },
      bound: bound.some((each) => each.provider === provider && each.model === id),
      command: `svc models add ${id} --provider ${provider} --key env:${KEYS[provider]}`,
    })),
  }
}

const KEYS = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
  openai_compatible: 'SVC_MODEL_API_KEY',
}
