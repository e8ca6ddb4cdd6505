import { z } from 'zod'
import { type Cost, microFromUsd } from '#core/money.ts'

const Usd = z.number().min(0).max(1_000_000)

/** What a template says that one attempt costs. */
export const DeclaredCost = z.strictObject({
  llm_usd: Usd.exactOptional(),
  gpu_usd: Usd.exactOptional(),
  storage_usd: Usd.exactOptional(),
})

export function declaredCost({ cost }: { cost?: z.infer<typeof DeclaredCost> }): Partial<Cost> {
  return {
    ...(cost?.llm_usd === undefined ? {} : { llm: microFromUsd(cost.llm_usd) }),
    ...(cost?.gpu_usd === undefined ? {} : { gpu: microFromUsd(cost.gpu_usd) }),
    ...(cost?.storage_usd === undefined ? {} : { storage: microFromUsd(cost.storage_usd) }),
  }
}
