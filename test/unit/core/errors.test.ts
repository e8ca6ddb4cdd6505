import { expect, test } from 'vitest'
import { type ErrorCode, isConflict, isEnded, isOutage, isTransient } from '#core/errors.ts'

const CODES: ErrorCode[] = [
  'audit_unavailable',
  'conflict',
  'dependency_unavailable',
  'forbidden',
  'gate_resolved',
  'internal',
  'not_found',
  'plan_changed',
  'rate_limited',
  'run_not_awaiting',
  'run_terminal',
  'version_conflict',
]

test.each<[string, (code: ErrorCode) => boolean, ErrorCode[]]>([
  ['ended', isEnded, ['gate_resolved', 'not_found', 'run_not_awaiting', 'run_terminal']],
  [
    'conflict',
    isConflict,
    ['conflict', 'gate_resolved', 'plan_changed', 'run_not_awaiting', 'run_terminal', 'version_conflict'],
  ],
  ['transient', isTransient, ['audit_unavailable', 'dependency_unavailable', 'rate_limited']],
  ['an outage', isOutage, ['audit_unavailable', 'dependency_unavailable']],
])('what is %s', (_, says, codes) => {
  expect(CODES.filter(says)).toEqual(codes)
})
