import { expect, test } from 'vitest'
import { startScreen } from '#cli/views/start-screen.ts'
import { loadConfig } from '#platform/config.ts'

const stack = { databaseUrl: 'postgres://db', temporalAddress: '127.0.0.1:7233', temporalUiUrl: undefined }
const screen = (refused?: string) =>
  startScreen(loadConfig({}), stack, { tookMs: 3_400, halts: [], refused, problems: ['a.yaml:1: wrong'] }).join('\n')

test('says that it is ready, and what is wrong with the files', () => {
  expect(screen()).toMatch(/svc.* is ready in 3\.4 s/)
  expect(screen()).toContain('a.yaml:1: wrong')
})

test('does not say ready while the audit log takes no records, because then nothing acts', () => {
  const shown = screen('the log holds records that the database does not know')
  expect(shown).not.toContain('is ready')
  expect(shown).toContain('nothing acts')
  expect(shown).toContain('the log holds records that the database does not know')
})
