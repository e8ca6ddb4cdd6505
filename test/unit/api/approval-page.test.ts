import { expect, it } from 'vitest'
import { approvalPage } from '#api/pages/approval-page.ts'
import type { LinkDetails, LinkView } from '#services/approvals/links/show-approval-link.ts'

const DETAILS: LinkDetails = {
  run_id: 'run_1',
  gate_id: 'gate_1',
  step: 'act',
  operator: 'postgres.execute@1',
  environment: 'two',
  environment_class: 'production',
  risk: 'high',
  severity: 'critical',
  summary: 'DELETE item',
  command: 'delete from item',
  targets: ['item'],
  models: null,
  connection: 'main (postgres db.test:5432, database shop, as ops)',
  because: [],
  shaped_by: [],
  requested_by: 'usr_\u202e1',
  reason: 'pay\u200bday <b>',
  plan_hash: `sha256:${'0'.repeat(64)}`,
  approvals: { have: 0, need: 1, by: [], missing: 1, missing_text: '1 more approval' },
  expires_at: '2026-01-08T00:00:00.000Z',
  note_needed: null,
  needs_confirmation: true,
  message: {
    title: '[high] shop: rows are left over',
    summary: 'DELETE item',
    facts: [
      { label: 'Reason', value: 'pay\u200bday <b>' },
      { label: 'Connection', value: 'main (postgres db.test:5432, database shop, as ops)' },
    ],
    because: ['policy <p>'],
    evidence: [{ title: 'Count', excerpt: 'rows: 3\n<i>' }],
  },
}
const VIEW: LinkView = {
  state: 'open',
  workspace: 'W\u202e',
  template: 'p/t',
  login_required: false,
  halts: [],
  tries_left: 5,
  nonce: 'n',
}

it('says where the connection leads, and shows what would not be seen', () => {
  const page = approvalPage({ ...VIEW, details: DETAILS }, { can_sign_in: true })
  expect(page).toContain('<td>main (postgres db.test:5432, database shop, as ops)</td>')
  expect(page).toContain('<td>pay\\u{200b}day &lt;b&gt;</td>')
  expect(page).toContain('<td>W\\u{202e}</td>')
  expect(page).toContain('<h1>[high] shop: rows are left over</h1>')
  expect(page).toContain('<pre>delete from item</pre>')
  expect(page).toContain('<li>policy &lt;p&gt;</li>')
  expect(page).toContain('<h2>Found before: Count</h2><pre>rows: 3\n&lt;i&gt;</pre>')
  expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

it('asks before it tells everything: what, what was found, the decision, and then the facts folded', () => {
  const page = approvalPage({ ...VIEW, details: DETAILS }, { can_sign_in: true })
  const places = [
    'delete from item',
    'Found before: Count',
    'policy &lt;p&gt;',
    'Your decision',
    '<details>',
    'W\\u{202e}',
  ]
  const found = places.map((each) => page.indexOf(each))
  expect(found).toEqual([...found].sort((one, other) => one - other))
  expect(found).not.toContain(-1)
  expect(page.slice(0, page.indexOf('Your decision'))).toContain('main (postgres db.test:5432, database shop, as ops)')
})

it('asks for a confirmation of what acts in production, once an approval is chosen', () => {
  const pageOf = (needs_confirmation: boolean) =>
    approvalPage({ ...VIEW, details: { ...DETAILS, needs_confirmation } }, { can_sign_in: true })
  expect(pageOf(true)).toContain(
    '<input type="checkbox" name="sure" value="1"> <span>Yes, do it in two (production). The answer cannot be taken back.</span>',
  )
  expect(pageOf(false)).not.toContain('name="sure"')
})

it('says that a halt is in force', () => {
  expect(approvalPage(VIEW, { can_sign_in: true })).not.toContain('Halted')
  const page = approvalPage({ ...VIEW, halts: ['<restore> (Ann)'] }, { can_sign_in: true })
  expect(page).toContain('Halted: &lt;restore&gt; (Ann). An approved step continues when the halt is lifted.')
})

it('says how many tries the code has left', () => {
  expect(approvalPage({ ...VIEW, tries_left: 2 }, { can_sign_in: true })).toContain('(2 of 5 tries left)')
})

it('asks anyone who has signed in for no second password', () => {
  const view = { ...VIEW, login_required: true, details: DETAILS, signed_in_as: 'Ann <b>' }
  const page = approvalPage(view, { can_sign_in: true })
  expect(page).toContain('Signed in as <strong>Ann &lt;b&gt;</strong>')
  expect(page).not.toMatch(/type="(password|email)"/)
  expect(page).toContain('value="approve"')
})

it('says right below the headline why somebody has started it, and names the class of the environment', () => {
  const page = approvalPage({ ...VIEW, details: DETAILS }, { can_sign_in: true })
  expect(page).toContain('</h1>\n<p>Reason: pay\\u{200b}day &lt;b&gt;</p>')
  expect(page).toContain('two (production)')
})

it('does not repeat as the reason what the headline says, and does say what a cut headline left out', () => {
  const shown = (title: string, reason: string) =>
    approvalPage(
      { ...VIEW, details: { ...DETAILS, reason, message: { ...DETAILS.message, title, facts: [] } } },
      { can_sign_in: true },
    )
  expect(shown('[high] shop: checkout answers 503 in live', 'checkout  answers 503')).not.toContain('Reason:')
  expect(shown('[high] shop: checkout ans… in live', 'checkout answers 503')).toContain('Reason: checkout answers 503')
})

it.each([
  [{ have: 0, need: 1, by: [], missing: 1 }, ['approve', 'reject'], '0 of 1 approval. Yours is enough.'],
  [
    { have: 1, need: 2, by: ['Anna <b>'], missing: 1 },
    ['approve', 'reject'],
    '1 of 2 approvals: Anna &lt;b&gt;. Yours is the last.',
  ],
  [{ have: 1, need: 2, by: ['Anna'], missing: 1 }, ['reject'], '1 of 2 approvals: Anna.<'],
  [
    { have: 0, need: 2, by: [], missing: 2 },
    ['approve', 'reject'],
    '0 of 2 approvals. It takes 2 more, yours among them. Others who may: Bob.',
  ],
] as const)(
  'says above the decision how many approvals are there: %j for one who may %j',
  (approvals, you_may, text) => {
    const details = {
      ...DETAILS,
      approvals: { ...approvals, by: [...approvals.by], missing_text: `${approvals.missing} more` },
    }
    const answers = { you_may: [...you_may], missing: '1 more approval', others: ['Bob'] }
    const view = { ...VIEW, login_required: true, signed_in_as: 'Ann', details, answers }
    const page = approvalPage(view, { can_sign_in: true })
    expect(page).toContain(text)
    expect(page.indexOf(text)).toBeLessThan(page.indexOf('Your decision'))
  },
)

it('shows severity and risk as pills, and all of it in the main part of the page', () => {
  const html = approvalPage({ ...VIEW, details: DETAILS }, { can_sign_in: true })
  expect(html).toMatch(
    /class="pill destructive">.{1,60}critical<\/span> <span class="pill destructive">.{1,60}high risk</,
  )
  expect(html).toMatch(/<body>\n<main>[\s\S]*<\/main>\n<\/body>/)
  const by_hand = approvalPage({ ...VIEW, details: { ...DETAILS, severity: null } }, { can_sign_in: true })
  expect(by_hand.match(/class="pill /g)).toHaveLength(1)
})
