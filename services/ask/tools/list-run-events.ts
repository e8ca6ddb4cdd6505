import { z } from 'zod'
import { RUN_EVENT_TYPES } from '#core/run/event.ts'
import { listAskEvents } from '#store/ask-reads/run.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { Limit, RunIdInput } from '../tool-inputs.ts'

export const listRunEventsTool = defineAskTool({
  name: 'list_run_events',
  description: 'The last events of a run, oldest first, all of them or those of one type.',
  input: z.strictObject({ run_id: RunIdInput, type: z.enum(RUN_EVENT_TYPES).optional(), limit: Limit }),
  async run({ read }, { run_id, type, limit }) {
    const events = await listAskEvents(read, { run_id, type }, limit)
    const after_seq = events[0] === undefined ? undefined : events[0].seq - 1
    return { data: { run_id, events }, rows: events.length, ref: refOf(`/runs/${run_id}/events`, { after_seq }) }
  },
})
