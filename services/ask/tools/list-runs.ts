import { z } from 'zod'
import { usdFromMicro } from '#core/money.ts'
import { listAskRuns } from '#store/ask-reads/runs.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { Limit, RUN_FILTER } from '../tool-inputs.ts'

export const listRunsTool = defineAskTool({
  name: 'list_runs',
  description: 'Runs, newest first, with status, failure and cost; `total` says how many there are.',
  input: z.strictObject({ ...RUN_FILTER, limit: Limit }),
  async run({ read }, { limit, ...filter }) {
    const { rows, total } = await listAskRuns(read, filter, limit)
    const runs = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    const [pack, template] = filter.template?.split('/') ?? []
    const { status, environment, trigger } = filter
    return {
      data: { runs, total },
      rows: runs.length,
      ref: refOf('/runs', { status, pack, template, environment, trigger, limit }),
    }
  },
})
