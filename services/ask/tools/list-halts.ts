import { z } from 'zod'
import { listAskHalts } from '#store/ask-reads/halts.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { MOST_ROWS } from '../tool-inputs.ts'

export const listHaltsTool = defineAskTool({
  name: 'list_halts',
  description: 'Halts that are in force here: why nothing starts or goes on.',
  input: z.strictObject({}),
  async run({ read }) {
    const halts = await listAskHalts(read, MOST_ROWS)
    return { data: { halts }, rows: halts.length, ref: '/console/api/halts' }
  },
})
