import { expect, test } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { startFact } from '#services/pipelines/admit-children.ts'

const CHILD = { step_id: 'look' }

test('a halt, a freeze and whatever passes hold a run back; anything else refuses it', () => {
  for (const code of ['halted', 'frozen', 'conflict', 'dependency_unavailable'] as const)
    expect(startFact(new DomainError(code, 'not now'), CHILD, 1_000)).toEqual({
      kind: 'later',
      at_ms: 16_000,
      reason: code,
    })
  expect(startFact(new DomainError('validation_failed', 'url is required'), CHILD, 1_000)).toEqual({
    kind: 'refused',
    error: { code: 'validation_failed', message: 'url is required', step: 'look' },
  })
})

test('a template that has changed is reported as what it is: of its pack, since the pipeline began', () => {
  const refused = new DomainError('plan_changed', 'the template has changed since it was shown')
  expect(startFact(refused, CHILD, 0)).toMatchObject({
    kind: 'refused',
    error: {
      code: 'plan_changed',
      message: 'its template, or something else in its pack, has changed since the pipeline began',
    },
  })
})

test('what is too long is cut between characters: half of one could not be kept', () => {
  const refused = new DomainError('validation_failed', `${'a'.repeat(999)}🚒 is no service`)
  const fact = startFact(refused, CHILD, 0)
  expect(fact).toMatchObject({ kind: 'refused', error: { message: expect.stringMatching(/^a{999}\ufffd$/) } })
})
