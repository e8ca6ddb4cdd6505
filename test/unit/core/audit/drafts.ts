import { hash } from 'node:crypto'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'

export const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** The n-th draft of a made-up log, about 460 bytes once canonical. */
export const draft = (n: number, over: Partial<AuditDraft> = {}): AuditDraft => ({
  id: `aud_${String(n).padStart(26, '0')}`,
  ts: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  category: 'policy_decision',
  action: 'policy.evaluated',
  workspace_id: 'ws_00000000000000000000000000',
  actor: { type: 'service', id: 'engine', auth: 'none' },
  channel: 'api',
  run_id: `run_${String(n % 7).padStart(26, '0')}`,
  subject: { type: 'step', id: `step_${n % 11}` },
  data: {
    effect: 'require_hitl',
    policies: ['production-default', 'restart-services'],
    reason: 'Neustart in Produktion – bitte prüfen \ufffd',
    cost_micro_usd: n * 7,
    ratio: n / 3,
    10: 'ten',
    9: 'nine',
  },
  ...over,
})

/** The lines of a valid chain of `count` records. */
export const chainedLines = (count: number, of: (n: number) => AuditDraft = draft): string[] => {
  let prev = GENESIS
  return Array.from({ length: count }, (_, i) => {
    const { record, line } = chainRecord(prev, of(i + 1), sha256)
    prev = record
    return line
  })
}
