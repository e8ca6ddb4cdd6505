import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerKeys } from '#cli/commands/keys.ts'
import type { Schema } from '#client/create-client.ts'

const KEY: Schema<'ApiKey'> = {
  id: 'key_1',
  name: 'nightly\u202e',
  prefix: 'svc_abcdefgh',
  account: 'usr_1',
  scopes: ['runs:read', 'runs:start'],
  status: 'active',
  created_by: 'usr_2',
  created_at: '2026-01-05T09:30:00.000Z',
  expires_at: '2026-04-05T09:30:00.000Z',
}

async function svc(...args: string[]) {
  const calls: unknown[] = []
  const lines: string[] = []
  const api = {
    apiKeys: async () => [
      KEY,
      { ...KEY, status: 'revoked' as const, last_used_at: KEY.created_at, workspace_id: 'ws_1' },
    ],
    createApiKey: async (draft: Schema<'ApiKeyDraft'>) => {
      calls.push(draft)
      return { ...KEY, token: 'svc_abcdefghthe-rest' }
    },
    users: async () => ({
      items: [{ id: 'usr_1', email: 'ci@example.test' } as Schema<'User'>, { id: 'usr_2' } as Schema<'User'>],
    }),
    workspaces: async () => ({ items: [{ id: 'ws_1', slug: 'payments' } as Schema<'Workspace'>] }),
    revokeApiKey: async (id: string) => void calls.push(id),
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const err = (line: string) => void lines.push(line)
  registerKeys(program, { api: () => api, out: (line) => void lines.push(line), err, screen: () => undefined })
  const quiet = (command: Command) => {
    command.exitOverride().configureOutput({ writeErr: () => undefined })
    command.commands.forEach(quiet)
  }
  quiet(program)
  await program.parseAsync(['keys', ...args], { from: 'user' })
  return { calls, lines }
}

test('lists keys by their beginning, with what they are good for and when they were used', async () => {
  const [titles, active, revoked] = (await svc('list')).lines
  expect(titles?.split(/ {2,}/)).toEqual('KEY,BEGINS,NAME,ACCOUNT,SCOPES,WORKSPACE,STATUS,EXPIRES,LAST USED'.split(','))
  expect(active?.split(/ {2,}/)).toEqual([
    'key_1',
    'svc_abcdefgh…',
    'nightly\\u{202e}',
    'ci@example.test',
    'runs:read,runs:start',
    'active',
    '2026-04-05',
    'never',
  ])
  expect(revoked).toMatch(/ payments {2,}revoked {2,}2026-04-05 {2,}\d+ d .*ago$/)
  const [wide, row] = (await svc('list', '-o', 'wide')).lines
  expect(row).toMatch(/ci@example\.test {2}usr_1 .*usr_2/)
  expect(wide).toMatch(/LAST USED {2,}MADE BY {2,}MADE$/)
})

test('lists keys one record a line for programs', async () => {
  for (const form of [['--json'], ['-o', 'json']])
    expect((await svc('list', ...form)).lines.map((line) => JSON.parse(line).status)).toEqual(['active', 'revoked'])
})

test('makes a key as its options say, and shows it once', async () => {
  const { calls, lines } = await svc('create', 'nightly', '--account', 'ci@example.test')
  expect(calls).toEqual([{ name: 'nightly', account: 'usr_1' }])
  expect(lines.filter((line) => line.includes('the-rest'))).toEqual(['svc_abcdefghthe-rest'])
  const narrow = ['--scope', 'runs:read', 'runs:start', '--days', '7', '--workspace', 'ws_1', '--json']
  const made = await svc('create', 'n', '--account', 'usr_1', ...narrow)
  const scopes = ['runs:read', 'runs:start']
  expect(made.calls).toEqual([{ name: 'n', account: 'usr_1', scopes, expires_in_days: 7, workspace_id: 'ws_1' }])
  expect(JSON.parse(made.lines.join(''))).toMatchObject({ id: 'key_1', token: 'svc_abcdefghthe-rest' })
})

test('a key for a workspace takes its name too', async () => {
  const { calls } = await svc('create', 'n', '--account', 'usr_1', '--workspace', 'payments')
  expect(calls).toEqual([{ name: 'n', account: 'usr_1', workspace_id: 'ws_1' }])
})

test('revokes a key by its id, and never one of several of a name', async () => {
  const id = `key_${'1'.repeat(26)}`
  expect(await svc('revoke', id)).toEqual({ calls: [id], lines: [] })
  await expect(svc('revoke', 'svc_abcdefgh')).rejects.toMatchObject({ code: 'conflict' })
  await expect(svc('revoke', 'nobody')).rejects.toMatchObject({ code: 'not_found' })
})

test.each([
  [['create', 'n']],
  [['create', 'n', '--account', 'a', '--days', 'many']],
  [['create', 'n', '--account', 'a', '--days', '367']],
  [['create', 'n', '--account', 'a', '--scope', 'everything']],
])('does nothing for %j', async (args) => {
  await expect(svc(...args)).rejects.toMatchObject({ code: expect.stringMatching(/^commander\./) })
})
