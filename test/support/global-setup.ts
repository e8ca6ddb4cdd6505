import { readFile } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { createTemplateDatabase } from './database.ts'
import { startTestStack } from './embedded.ts'
import { programsCacheDir } from './programs/cache-dir.ts'
import { neededBy } from './programs/needed-by.ts'
import { PROGRAMS, type Provided } from './programs/program.ts'
import { provideProgram } from './programs/provide-program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** superuser url of the test server */
    postgres_url: string
    /** host:port */
    temporal_address: string
  }
}

/** Brings what the selected test files need: programs of others, one PostgreSQL and one Temporal. Unit tests need none of it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { vitest } = project
  // the words after `vitest run` are not in the typed interface; without them every file of the project counts
  const words: unknown = 'filenamePattern' in vitest ? vitest.filenamePattern : undefined
  const filters = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : undefined
  const found = await vitest.globTestSpecifications(filters)
  const selected = found.filter((specification) => specification.project.name !== 'unit')
  if (selected.length === 0) return undefined
  project.provide('programs', await providePrograms(selected.map(({ moduleId }) => moduleId)))
  const stack = await startTestStack()
  project.provide('postgres_url', stack.postgres_url)
  project.provide('temporal_address', stack.temporal_address)
  const template = await createTemplateDatabase(stack.postgres_url)
  return async () => {
    await template.drop()
    await stack.stop()
  }
}

async function providePrograms(files: readonly string[]): Promise<Provided> {
  const needed = neededBy(await Promise.all(files.map((file) => readFile(file, 'utf8'))))
  const programs: Provided = {}
  for (const name of PROGRAMS) {
    if (!needed.has(name)) continue
    programs[name] = await provideProgram(name, {
      cacheDir: programsCacheDir(),
      onProgress: (line) => process.stderr.write(`${line}\n`),
    })
  }
  return programs
}
