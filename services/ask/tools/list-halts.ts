import { z } from 'zod'
import { listAskHalts } from '#store/ask-reads/halts.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { MOST_ROWS } from '../tool-inputs.ts'

/** So many are looked at to find those that are any business of the workspace. */
const LOOKED_AT = 1_000

export const listHaltsTool = defineAskTool({
  name: 'list_halts',
  description: 'Halts that are in force here: why nothing starts or goes on.',
  input: z.strictObject({}),
  async run({ read, concerns }) {
    const found = await listAskHalts(read, LOOKED_AT)
    const halts = found
      .filter(({ everywhere, environment }) => !everywhere || environment === null || concerns({ environment }))
      .slice(0, MOST_ROWS)
    return { data: { halts }, rows: halts.length, ref: '/console/api/halts' }
  },
})
