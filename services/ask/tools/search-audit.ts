import { z } from 'zod'
import { AUDIT_CATEGORIES } from '#core/audit/types.ts'
import { listAskAudit } from '#store/ask-reads/audit.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { Limit, RunIdInput, SinceHours } from '../tool-inputs.ts'

export const searchAuditTool = defineAskTool({
  name: 'search_audit',
  description: 'Records of the audit chain, newest first: who did what, when, through which channel.',
  input: z.strictObject({
    category: z.enum(AUDIT_CATEGORIES).optional(),
    action: z.string().max(100).optional().meta({ description: 'Such as gate.decided' }),
    actor: z.string().max(200).optional().meta({ description: 'Id of who acted' }),
    run_id: RunIdInput.optional(),
    since_hours: SinceHours.optional(),
    limit: Limit,
  }),
  async run({ read }, { limit, ...filter }) {
    const records = await listAskAudit(read, filter, limit)
    const { category, actor, run_id } = filter
    return { data: { records }, rows: records.length, ref: refOf('/console/api/audit', { category, actor, run_id, limit }) }
  },
})
