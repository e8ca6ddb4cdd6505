import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEnvironmentSource } from '#platform/environments/environment-source.ts'
import { readConsoleSettings } from '#store/authored/console-documents.ts'
import type { TestDatabase } from './database.ts'
import { fileFixture } from './file-fixture.ts'

/** The environments of one process: those that ship, files of a data directory of its own, and what the console says. */
export function openEnvironments(
  db: TestDatabase['db'],
  files: Record<string, string> = { 'environments/development.yaml': 'name: development\nworkspaces: ["*"]\n' },
  options: { open?: boolean } = {},
) {
  const home = mkdtempSync(join(tmpdir(), 'svc-home-'))
  for (const folder of ['environments', 'profiles', 'rules']) mkdirSync(join(home, folder))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
  const environments = createEnvironmentSource({
    home,
    log: { info: () => {}, warn: () => {} },
    console: { load: () => readConsoleSettings(db) },
    ...options,
  })
  return { home, environments }
}

/** Those environments for the tests of a file. */
export const testEnvironments = (database: TestDatabase, files?: Record<string, string>) =>
  fileFixture(
    () => openEnvironments(database.db, files),
    ({ environments }) => environments.close(),
  )
