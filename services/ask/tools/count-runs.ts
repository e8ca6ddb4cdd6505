import { z } from 'zod'
import { usdFromMicro } from '#core/money.ts'
import { countAskRuns, RUN_GROUPS } from '#store/ask-reads/runs.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { MOST_ROWS, RUN_FILTER } from '../tool-inputs.ts'

export const countRunsTool = defineAskTool({
  name: 'count_runs',
  description: 'How many runs there are of each status, template, environment, trigger, failure code or day, what they cost, how long they took.',
  input: z.strictObject({ ...RUN_FILTER, group_by: z.enum(RUN_GROUPS).default('status') }),
  async run({ read }, filter) {
    const rows = await countAskRuns(read, filter, MOST_ROWS)
    const groups = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    const { group_by, status, environment, trigger } = filter
    return { data: { group_by, groups }, rows: groups.length, ref: refOf('/runs', { status, environment, trigger }) }
  },
})
