import { expect, test } from 'vitest'
import { notRun } from '#test/support/reporter.ts'

const CHROMIUM = { why: 'no network', cure: 'sudo apt-get install chromium' }

test('the end of a run says in one line a program which tests did not run, why, and what brings them', () => {
  const tests = [
    { file: 'test/e2e/a.test.ts', missing: ['chromium'] as const },
    { file: 'test/e2e/a.test.ts', missing: ['chromium'] as const },
    { file: 'test/e2e/b.test.ts', missing: ['chromium', 'python3'] as const },
  ]
  expect(
    notRun(tests, { chromium: CHROMIUM, python3: { why: 'nothing brings it', cure: 'brew install python3' } }),
  ).toEqual([
    'Not run: 3 tests that need Chromium, in test/e2e/a.test.ts, test/e2e/b.test.ts. Why: no network. To run them: sudo apt-get install chromium',
    'Not run: 1 test that needs Python 3, in test/e2e/b.test.ts. Why: nothing brings it. To run them: brew install python3',
  ])
})

test('a run that left nothing out says nothing', () => {
  expect(notRun([], { chromium: CHROMIUM })).toEqual([])
})
