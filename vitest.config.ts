import { defineConfig } from 'vitest/config'

const project = (name: string, options: Record<string, unknown> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // what is printed is compared as text, also where a CI makes libraries paint it
    env: { NO_COLOR: '1' },
    ...options,
  },
})

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      project('unit'),
      project('store'),
      project('workflow'),
      project('api'),
      // most of their time these wait: for a timer, or for what was killed to be missed
      project('fault', { testTimeout: 120_000, maxWorkers: 2, sequence: { groupOrder: 1 } }),
      project('attack', { testTimeout: 180_000, sequence: { groupOrder: 3 } }),
      project('e2e', { testTimeout: 120_000, fileParallelism: false, sequence: { groupOrder: 2 } }),
    ],
  },
})
