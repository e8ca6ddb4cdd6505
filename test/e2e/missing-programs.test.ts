import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, inject, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test('where a program cannot be had the tests that need it do not run, the others do, and the end says so', async () => {
  const files = [
    'test/store/audit/outside-verifier.test.ts',
    'test/e2e/magic-link-browser.test.ts',
    'test/store/frozen',
  ]
  const { exitCode, stdout } = await execa(process.execPath, [VITEST, 'run', ...files], {
    cwd: ROOT,
    env: {
      DATABASE_URL: inject('postgres_url'),
      TEMPORAL_ADDRESS: inject('temporal_address'),
      SVC_TEST_CHROMIUM: '/nowhere/chromium',
      SVC_TEST_PYTHON3: '/nowhere/python3',
    },
    reject: false,
  })
  expect(stdout).toMatch(/Tests .*[1-9]\d* passed \| 9 skipped/)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^-- \d+:\d\d {2}1 of 3 files {2}/m)
  const not_run = stdout.split('\n').filter((line) => line.startsWith('Not run:'))
  expect(not_run.toSorted()).toEqual([
    expect.stringMatching(
      /^Not run: 2 tests that need Python 3, in test\/store\/audit\/outside-verifier.test.ts. Why: SVC_TEST_PYTHON3=\/nowhere\/python3 does not run. To run them: \S/,
    ),
    expect.stringMatching(/^Not run: 7 tests that need Chromium, in test\/e2e\/magic-link-browser.test.ts. Why: /),
  ])
})
