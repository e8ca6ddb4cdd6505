import type { ModelPrices, ModelProvider } from '#core/models/model.ts'
import catalog from './model-catalog.json' with { type: 'json' }

/** A model as its provider sells it. */
export interface CatalogModel {
  id: string
  provider: ModelProvider
  prices: ModelPrices
  limits: { context: number; output: number }
  /** long prompts cost more; the prices are the highest */
  tiered?: boolean
}

export interface CatalogFile {
  /** day on which the prices were read */
  read_at: string
  source: string
  models: CatalogModel[]
}

/** The models that this release knows. Providers change their prices without telling it. */
export const MODEL_CATALOG: CatalogFile = {
  ...catalog,
  models: catalog.models.map(({ provider, ...model }) => ({ ...model, provider: providerOf(provider) })),
}

function providerOf(name: string): ModelProvider {
  if (name === 'openai' || name === 'anthropic' || name === 'google') return name
  throw new Error(`the catalogue of models names a provider ${name}`)
}
