import { GENESIS } from '#core/audit/chain.ts'
import type { AuditCheckpoint } from '#core/audit/record-schema.ts'
import type { AuditViews } from '#store/audit-views.ts'

/** Where the chain ends, and what the running check last found out about the log. */
export async function getAuditCheckpoint({
  audits,
}: {
  audits: Pick<AuditViews, 'head' | 'check'>
}): Promise<AuditCheckpoint> {
  const [head, check] = await Promise.all([audits.head(), audits.check()])
  const { passed_seq = null, passed_at = null, problem = null, problem_seq = null } = check ?? {}
  return {
    ...(head ?? GENESIS),
    ...(passed_seq !== null && passed_at !== null && { checked: { seq: passed_seq, at: passed_at } }),
    ...(problem !== null && problem_seq !== null && { problem: { seq: problem_seq, detail: problem } }),
  }
}
