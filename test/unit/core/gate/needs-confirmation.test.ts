import { expect, test } from 'vitest'
import { needsConfirmation } from '#core/gate/needs-confirmation.ts'

const STAGED = {
  kind: 'approval',
  action_type: 'service.restart',
  risk: 'medium',
  environment_class: 'staging',
} as const

test.each([
  [{}, false],
  [{ risk: 'high' }, true],
  [{ environment_class: 'production' }, true],
  [{ environment_class: 'production', action_type: 'read' }, false],
  [{ kind: 'outcome_unknown' }, true],
] as const)(
  'an approval is confirmed where it acts with high risk, in production or perhaps twice: %o',
  (gate, isNeeded) => {
    expect(needsConfirmation({ ...STAGED, ...gate })).toBe(isNeeded)
  },
)
