import { z } from 'zod'
import { GATE_STATUSES } from '#core/gate/types.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { readGates } from '../read-gates.ts'
import { Limit } from '../tool-inputs.ts'

export const listGatesTool = defineAskTool({
  name: 'list_gates',
  description:
    'Gates where runs wait for people: the open ones, longest wait first, or those that were approved, rejected or expired, with who answered and whether it counts.',
  input: z.strictObject({ status: z.enum(GATE_STATUSES).default('open'), limit: Limit }),
  async run(ctx, { status, limit }) {
    const gates = await readGates(ctx, { status }, limit)
    const ref = refOf('/runs', status === 'open' ? { status: 'awaiting_approval', limit } : { limit })
    return { data: { status, gates }, rows: gates.length, ref }
  },
})
