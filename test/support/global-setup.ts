import type { TestProject } from 'vitest/node'
import { startTestStack } from './embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** superuser url of the test server */
    postgres_url: string
    /** host:port */
    temporal_address: string
  }
}

/** Starts one PostgreSQL and one Temporal for all test files, unless every selected one is a unit test. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { vitest } = project
  // the words after `vitest run` are not in the typed interface; without them every file of the project counts
  const words: unknown = 'filenamePattern' in vitest ? vitest.filenamePattern : undefined
  const filters = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : undefined
  const selected = await vitest.globTestSpecifications(filters)
  if (selected.every((specification) => specification.project.name === 'unit')) return undefined
  const stack = await startTestStack()
  project.provide('postgres_url', stack.postgres_url)
  project.provide('temporal_address', stack.temporal_address)
  return stack.stop
}
