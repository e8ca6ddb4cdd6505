import { z } from 'zod'
import { listAskFirings } from '#store/ask-reads/schedules.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { Limit } from '../tool-inputs.ts'

export const listScheduleFiringsTool = defineAskTool({
  name: 'list_schedule_firings',
  description: 'What became of the last times of a schedule: started, skipped, missed, denied and why, with the run.',
  input: z.strictObject({ schedule_id: z.string().regex(/^sch_[0-9a-z]{26}$/), limit: Limit }),
  async run({ read }, { schedule_id, limit }) {
    const firings = await listAskFirings(read, schedule_id, limit)
    return { data: { schedule_id, firings }, rows: firings.length, ref: `/triggers/scheduled/${schedule_id}/fires` }
  },
})
