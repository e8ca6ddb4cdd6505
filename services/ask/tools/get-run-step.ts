import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { usdFromMicro } from '#core/money.ts'
import { findAskStep } from '#store/ask-reads/run.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { RunIdInput } from '../tool-inputs.ts'

export const getRunStepTool = defineAskTool({
  name: 'get_run_step',
  description: 'One step of a run with its inputs and outputs.',
  input: z.strictObject({ run_id: RunIdInput, step: z.string().min(1).max(100) }),
  async run({ read }, { run_id, step }) {
    const found = await findAskStep(read, { run_id, step })
    if (found === undefined) throw new DomainError('not_found', `there is no step ${step} of ${run_id} that was begun`)
    const { cost_micro_usd, ...row } = found
    const data = { run_id, ...row, cost_usd: usdFromMicro(cost_micro_usd) }
    return { data, rows: 1, ref: `/runs/${run_id}/steps/${encodeURIComponent(step)}` }
  },
})
