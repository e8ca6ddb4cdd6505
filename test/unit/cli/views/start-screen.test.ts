import { expect, test } from 'vitest'
import type { ListedHalt } from '#cli/commands/halt.ts'
import { startScreen } from '#cli/views/start-screen.ts'
import { loadConfig } from '#platform/config.ts'

const stack = { databaseUrl: 'postgres://db', temporalAddress: '127.0.0.1:7233', temporalUiUrl: undefined }
const names = new Map([['ws_payments', 'Payments']])
const screen = (refused?: string, halts: ListedHalt[] = []) =>
  startScreen(loadConfig({}), stack, { tookMs: 3_400, halts, names, refused, problems: ['a.yaml:1: wrong'] }).join('\n')

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

test('names the workspace of a halt', () => {
  const halt = {
    ...{ id: 'halt_1', scope: { workspace: 'ws_payments' }, reason: 'wrong hosts', by: { display: 'Bob' } },
    ...{ created_at: '2026-01-05T09:30:00Z', held: { runs: 2 } },
  }
  const shown = screen(undefined, [halt])
  expect(shown).toContain('Payments')
  expect(shown).not.toContain('ws_payments')
})
