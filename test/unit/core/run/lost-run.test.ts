import { expect, test } from 'vitest'
import { lostRun, type ReachedStep } from '#core/run/lost-run.ts'

const at = (given: Partial<ReachedStep> = {}): ReachedStep => ({
  step: 'act',
  operator: 'http.request',
  state: 'running',
  summary: null,
  inputs: null,
  ...given,
})

test('names the step, what it does and where it stood, and asks to look before anything is started again', () => {
  const { message, step, details } = lostRun(at({ summary: 'POST https://shop/restart' }))
  expect(message).toContain('Step act (http.request: POST https://shop/restart) was under way.')
  expect(message).toMatch(
    /may have acted all the same: after a restore.*Look at the target, and start the run again only/,
  )
  expect({ step, details }).toEqual({ step: 'act', details: { step_state: 'running' } })
})

test.each([
  [at({ state: 'awaiting_approval' }), 'Step act (http.request) waited for an approval.'],
  [at({ state: 'outcome_unknown' }), 'may have acted, and waited for somebody to look.'],
  [
    at({ state: 'pending', inputs: { url: 'https://shop' } }),
    'Step act (http.request: {"url":"https://shop"}) was next.',
  ],
  [at({ inputs: 'x'.repeat(1_000) }), `${'x'.repeat(299)}…) was under way.`],
])('says it of %j', (reached, said) => {
  expect(lostRun(reached).message).toContain(said)
})

test('where every step had ended it says that only the end was missing', () => {
  expect(lostRun(null)).toMatchObject({ message: expect.stringContaining('every step had ended') })
})
