import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { usdFromMicro } from '#core/money.ts'
import { findAskRun } from '#store/ask-reads/run.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { readGates } from '../read-gates.ts'
import { MOST_ROWS, RunIdInput } from '../tool-inputs.ts'

export const getRunTool = defineAskTool({
  name: 'get_run',
  description:
    'One run: who asked for it and why, where it stands, why it failed, what was approved by whom, what it cost, the alert behind it.',
  input: z.strictObject({ run_id: RunIdInput }),
  async run(ctx, { run_id }) {
    const found = await findAskRun(ctx.read, run_id)
    if (found === undefined) throw new DomainError('not_found', `there is no run ${run_id}`)
    const gates = await readGates(ctx, { run_id }, MOST_ROWS)
    const {
      cost_micro_usd,
      llm_micro_usd,
      gpu_micro_usd,
      storage_micro_usd,
      reserved_micro_usd,
      cap_micro_usd,
      ...run
    } = found
    const cost = {
      total_usd: usdFromMicro(cost_micro_usd),
      llm_usd: usdFromMicro(llm_micro_usd),
      gpu_usd: usdFromMicro(gpu_micro_usd),
      storage_usd: usdFromMicro(storage_micro_usd),
      reserved_usd: usdFromMicro(reserved_micro_usd),
      cap_usd: usdFromMicro(cap_micro_usd),
    }
    const asked = gates.map(({ run_id: _run, template: _template, environment: _environment, ...gate }) => gate)
    return { data: { ...run, cost, gates: asked }, rows: 1, ref: `/runs/${run_id}` }
  },
})
