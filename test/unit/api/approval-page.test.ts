import { expect, it } from 'vitest'
import { approvalPage } from '#api/approval-page.ts'
import type { LinkDetails, LinkView } from '#services/approvals/links/show-link.ts'

const DETAILS: LinkDetails = {
  run_id: 'run_1',
  gate_id: 'gate_1',
  step: 'act',
  operator: 'postgres.execute@1',
  environment: 'production',
  risk: 'high',
  summary: 'DELETE item',
  command: 'delete from item',
  targets: ['item'],
  connection: 'main (postgres db.test:5432, database shop, as ops)',
  because: [],
  requested_by: 'usr_\u202e1',
  reason: 'pay\u200bday <b>',
  plan_hash: `sha256:${'0'.repeat(64)}`,
  expires_at: '2026-01-08T00:00:00.000Z',
  note_needed: null,
}
const VIEW: LinkView = {
  state: 'open',
  workspace: 'W\u202e',
  template: 'p/t',
  login_required: false,
  halts: [],
  nonce: 'n',
}

it('says where the connection leads, and shows what would not be seen', () => {
  const page = approvalPage({ ...VIEW, details: DETAILS }, { can_sign_in: true })
  expect(page).toContain('<td>main (postgres db.test:5432, database shop, as ops)</td>')
  expect(page).toContain('<td>pay\\u{200b}day &lt;b&gt;</td>')
  expect(page).toContain('<strong>W\\u{202e}</strong>')
  expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

it('says that a halt is in force', () => {
  expect(approvalPage(VIEW, { can_sign_in: true })).not.toContain('Halted')
  const page = approvalPage({ ...VIEW, halts: ['<restore> (Ann)'] }, { can_sign_in: true })
  expect(page).toContain('Halted: &lt;restore&gt; (Ann). What is approved now goes on when the halt is lifted.')
})
