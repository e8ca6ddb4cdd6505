import { expect, test } from 'vitest'
import type { Schema } from '#client/create-client.ts'
import { changesBetween } from '../../../console/src/features/gates/changes.ts'

const BEFORE = {
  operation: {
    operator: 'http.request@1',
    environment: 'staging',
    targets: { kind: 'url', ids: ['https://a.example/restart'] },
    connection: { id: 'api', kind: 'http', host: 'a.example' },
  },
  plan: { summary: 'POST https://a.example/restart', command: 'curl a' },
  inputs: { method: 'POST' },
  because: ['policy'],
  required: { approvals: 1, approval_roles: [], prevent_self: false },
} as unknown as Schema<'PendingApproval'>

test('says part by part what another plan changes, and nothing of what is the same', () => {
  const after = {
    ...BEFORE,
    operation: { ...BEFORE.operation, connection: { id: 'api', kind: 'http', host: 'b.example' } },
    plan: { summary: BEFORE.plan.summary },
    because: ['policy', 'plan_changed'],
  }
  expect(changesBetween(BEFORE, after)).toMatchObject([
    { name: 'Command', before: 'curl a', after: '' },
    { name: 'Connection', after: expect.stringContaining('b.example') },
    { name: 'Why it asks', before: 'policy', after: 'policy\nplan_changed' },
  ])
  expect(changesBetween(BEFORE, BEFORE)).toEqual([])
})
