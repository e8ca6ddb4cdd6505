import { z } from 'zod'
import { defineOperator, OperatorError } from '#core/operator.ts'
import { operatorInput } from '../operator-input.ts'

const CoreFailInput = z.strictObject({ message: z.string().min(1).max(4_000).describe('Why the run cannot go on') })
type CoreFailInput = z.infer<typeof CoreFailInput>

/** Ends a run on purpose, with the template's own words. */
export const coreFail = defineOperator<CoreFailInput>({
  id: 'core.fail',
  version: 1,
  title: 'Fail',
  risk: 'low',
  action_type: 'read',
  capabilities: [],
  requires_approval: false,
  ...operatorInput(CoreFailInput),
  replay: () => 'safe',
  describe: (input) => ({ summary: `fail: ${input.message}`, targets: { kind: 'run', ids: [] } }),
  simulate: async (_ctx, input) => ({ ok: true, summary: `would fail: ${input.message}` }),
  async execute(_ctx, input) {
    throw new OperatorError('failed_by_template', input.message)
  },
})
