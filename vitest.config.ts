import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { PATIENCE } from './test/support/patience.ts'

const project = (name: string, options: Record<string, unknown> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    // shared modules are loaded once a process
    isolate: false,
    // the default would leave one core of two idle
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // the default is a second, which is short beside other load
    expect: { poll: PATIENCE },
    // output is compared as text, also where a CI makes libraries colour it
    env: { NO_COLOR: '1' },
    ...options,
  },
})

/** These tests measure time, so nothing else runs beside them. */
const TIMED = [
  ...['console-long-list', 'event-loop', 'halt', 'thousand-decisions'].map((name) => `test/e2e/${name}.test.ts`),
  ...['local-execution', 'schedule-storm'].map((name) => `test/fault/${name}.test.ts`),
  ...['attack', 'fuzz'].map((name) => `test/attack/${name}.test.ts`),
]

/** Services of tests live for seconds: without this, optimising their code took a fifth of their processor time. */
const SHORT_LIVED = { NO_COLOR: '1', SVC_TEST_NODE_FLAGS: '--interrupt-budget=1000000' }

/** Files at once of those that wait half of their time: with two of them, half of two cores is idle. */
const WAITING = { testTimeout: 300_000, maxWorkers: 4 }

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      // the quick ones first: a broken change shows within seconds
      project('unit'),
      project('store', { sequence: { groupOrder: 1 } }),
      // a file for each operation: one API serves most files of a process
      project('api', { sequence: { groupOrder: 1 } }),
      // these tests wait for a server, for a timer, or for a killed process to be noticed
      project('workflow', { ...WAITING, sequence: { groupOrder: 2 } }),
      project('fault', { ...WAITING, exclude: TIMED, env: SHORT_LIVED, sequence: { groupOrder: 2 } }),
      project('e2e', { ...WAITING, exclude: TIMED, env: SHORT_LIVED, sequence: { groupOrder: 2 } }),
      project('timed', { include: TIMED, testTimeout: 300_000, maxWorkers: 1, sequence: { groupOrder: 3 } }),
    ],
  },
})
