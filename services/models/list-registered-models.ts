import { MODEL_ROLES, type ModelPrices, type ModelRoles, whyNeverCalled } from '#core/models/model.ts'
import type { ModelCatalog, ModelPricesShown, RegisteredModel } from '#core/models/registry-schema.ts'
import { usdFromMicro } from '#core/money.ts'
import type { ServiceContext } from '../context.ts'
import type { ModelAdminPorts } from './model-ports.ts'
import { toProbe } from './probe-model.ts'

type Context = Pick<ServiceContext, 'workspace_id'> & Pick<ModelAdminPorts, 'models' | 'probes' | 'endpointOf'>

/** Returns every model of `models.yaml`: its endpoint, its prices, and why it is never called, if so. */
export async function listRegisteredModels(ctx: Context): Promise<RegisteredModel[]> {
  const { models, roles } = ctx.models.bound()
  const probes = new Map((await ctx.probes.last(ctx.workspace_id)).map((row) => [row.model, toProbe(row)]))
  return models.map((model): RegisteredModel => {
    const { base_url, key, problem } = ctx.endpointOf(model)
    const why_not = whyNeverCalled(model) ?? problem
    const last_probe = probes.get(model.id)
    return {
      id: model.id,
      provider: model.provider,
      provider_model: model.model,
      ...(base_url !== undefined && { base_url }),
      ...(key !== undefined && { key }),
      ...(model.prices !== undefined && { prices: pricesShown(model.prices) }),
      ...(model.limits !== undefined && { limits: model.limits }),
      timeout_ms: model.timeout_ms,
      callable: why_not === undefined,
      ...(why_not !== undefined && { why_not }),
      roles: rolesOf(model.id, roles),
      ...(last_probe !== undefined && { last_probe }),
    }
  })
}

function pricesShown({ input, output, cached_input, cache_write }: ModelPrices): ModelPricesShown {
  return {
    input_usd: usdFromMicro(input),
    output_usd: usdFromMicro(output),
    ...(cached_input !== undefined && { cached_input_usd: usdFromMicro(cached_input) }),
    ...(cache_write !== undefined && { cache_write_usd: usdFromMicro(cache_write) }),
  }
}

function rolesOf(id: string, roles: ModelRoles): RegisteredModel['roles'] {
  return MODEL_ROLES.flatMap((role) => {
    const { model, fallback } = roles[role] ?? {}
    return [
      ...(model === id ? [{ role, as: 'model' as const }] : []),
      ...(fallback === id ? [{ role, as: 'fallback' as const }] : []),
    ]
  })
}

const NOTE =
  "Providers change prices without telling anybody here: check them on your provider's page before you rely on a cap. `limits.output` is what one answer may take here; a provider may allow more."

/** The models that this release knows, and which of them are bound. */
export function getModelCatalog({ catalog, models }: Pick<ModelAdminPorts, 'catalog' | 'models'>): ModelCatalog {
  const bound = models.bound().models
  const { read_at, source } = catalog
  return {
    read_at,
    source,
    note: NOTE,
    models: catalog.models.map(({ id, provider, prices, limits, tiered = false }) => ({
      id,
      provider,
      prices: pricesShown(prices),
      limits,
      tiered,
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
