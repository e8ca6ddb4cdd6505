import type { JsonObject } from '../json/json.ts'
import { type MicroUsd, usdFromMicro } from '../money.ts'

/** A model that may answer, as people are shown it. */
export type ShownModel = {
  id: string
  provider: string
  model: string
  /** absent where it cannot be asked, and then `problem` says why */
  base_url?: string
  problem?: string
  /** where its key is */
  key?: string
  prices: { input: MicroUsd; output: MicroUsd; cached_input?: MicroUsd; cache_write?: MicroUsd }
  limits: { context: number; output: number }
  timeout_ms: number
  structured_outputs: boolean
  limit_field?: string
  drop_params?: string[]
}

/** A model in words: `triage (openai gpt-4o-mini at https://api.openai.com/v1; 0.15 USD in, 0.6 out per million tokens)`. */
function modelText({
  id,
  provider,
  model,
  base_url,
  problem,
  prices,
}: Pick<ShownModel, 'id' | 'provider' | 'model'> & {
  base_url?: string | undefined
  problem?: string | undefined
  prices: Pick<ShownModel['prices'], 'input' | 'output'>
}): string {
  const where = base_url === undefined ? `cannot be asked: ${problem ?? 'no endpoint'}` : `at ${base_url}`
  const price = `${usdFromMicro(prices.input)} USD in, ${usdFromMicro(prices.output)} out per million tokens`
  return `${id} (${provider} ${model} ${where}; ${price})`
}

interface ShownModels {
  candidates: readonly Parameters<typeof modelText>[0][]
  problem?: string | undefined
}

/** All models that may answer a step, in their order. */
export function modelsText({ candidates, problem }: ShownModels): string {
  return problem ?? candidates.map(modelText).join(', else ')
}

/** The same of what was written when a gate opened; null where the step asks no model. */
export function viewedModels(view: JsonObject): string | null {
  const { models } = (view['operation'] ?? {}) as { models?: ShownModels }
  return models === undefined ? null : modelsText(models)
}
