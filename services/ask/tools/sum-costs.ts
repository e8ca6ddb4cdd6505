import { z } from 'zod'
import { usdFromMicro } from '#core/money.ts'
import { COST_GROUPS, listAskBudgets, sumAskCosts, sumAskModelCosts } from '#store/ask-reads/costs.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { MOST_ROWS, SinceHours } from '../tool-inputs.ts'

const DAYS = 2

export const sumCostsTool = defineAskTool({
  name: 'sum_costs',
  description: 'What runs and calls of models cost, the dearest first, and what is spent of the budgets of today and yesterday.',
  input: z.strictObject({ group_by: z.enum(COST_GROUPS).default('template'), since_hours: SinceHours.default(24 * 7) }),
  async run({ read }, { group_by, since_hours }) {
    const [rows, models, budgets] = await Promise.all([
      sumAskCosts(read, { group_by, since_hours }, MOST_ROWS),
      sumAskModelCosts(read, since_hours, MOST_ROWS),
      listAskBudgets(read, DAYS, MOST_ROWS),
    ])
    const costs = rows.map(({ group, runs, ...micro }) => ({
      group,
      runs,
      total_usd: usdFromMicro(micro.total_micro_usd),
      llm_usd: usdFromMicro(micro.llm_micro_usd),
      gpu_usd: usdFromMicro(micro.gpu_micro_usd),
      storage_usd: usdFromMicro(micro.storage_micro_usd),
    }))
    const data = {
      group_by,
      since_hours,
      costs,
      models: models.map(({ cost_micro_usd, ...each }) => ({ ...each, cost_usd: usdFromMicro(cost_micro_usd) })),
      budgets: budgets.map(({ environment, day, ...micro }) => ({
        environment,
        day,
        cap_usd: usdFromMicro(micro.cap_micro_usd),
        spent_usd: usdFromMicro(micro.spent_micro_usd),
        reserved_usd: usdFromMicro(micro.reserved_micro_usd),
      })),
    }
    return { data, rows: costs.length + models.length + budgets.length, ref: '/runs' }
  },
})
