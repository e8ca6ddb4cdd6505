import { z } from 'zod'
import { usdFromMicro } from '#core/money.ts'
import { listAskSteps } from '#store/ask-reads/run.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { RunIdInput } from '../tool-inputs.ts'

export const listRunStepsTool = defineAskTool({
  name: 'list_run_steps',
  description: 'The steps of a run that were begun, in their order: state, attempts, message, error, cost.',
  input: z.strictObject({ run_id: RunIdInput }),
  async run({ read }, { run_id }) {
    const rows = await listAskSteps(read, run_id)
    const steps = rows.map(({ cost_micro_usd, ...row }) => ({ ...row, cost_usd: usdFromMicro(cost_micro_usd) }))
    return { data: { run_id, steps }, rows: steps.length, ref: `/runs/${run_id}/steps` }
  },
})
