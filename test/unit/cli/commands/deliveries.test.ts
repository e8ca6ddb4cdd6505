import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerDeliveries } from '#cli/commands/deliveries.ts'
import type { Schema } from '#client/create-client.ts'

const FAILED: Schema<'NoticeDelivery'> = {
  id: 'ntf_1',
  run_id: 'run_1',
  gate_id: 'gate_1',
  kind: 'opened',
  channel: 'ops-hook',
  recipient: 'hooks.example.test#12345678',
  state: 'retrying',
  attempts: 2,
  last_error: 'hooks.example.test answered 503\u202e',
  planned_at: '2026-01-05T09:30:00.000Z',
  last_attempt_at: '2026-01-05T09:30:02.000Z',
  next_attempt_at: '2026-01-05T09:30:06.000Z',
}
const ARRIVED: Schema<'NoticeDelivery'> = {
  id: 'ntf_2',
  run_id: 'run_1',
  gate_id: 'gate_1',
  kind: 'reminder',
  channel: 'mail',
  recipient: 'oncall@example.test',
  state: 'delivered',
  attempts: 1,
  planned_at: '2026-01-05T09:30:00.000Z',
  delivered_at: '2026-01-05T09:30:01.000Z',
}

async function svc(...args: string[]) {
  const calls: unknown[] = []
  const lines: string[] = []
  const api = {
    deliveries: async (query: object) => {
      calls.push(query)
      return [FAILED, ARRIVED]
    },
    runDeliveries: async (...of: unknown[]) => {
      calls.push(of)
      return [FAILED, ARRIVED]
    },
  }
  const program = new Command().exitOverride()
  program.command('other')
  registerDeliveries(program, { api: () => api, out: (line) => void lines.push(line) })
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync(['deliveries', ...args], { from: 'user' })
  return { calls, lines }
}

test('says who was reached and who was not, why, and when it is tried again', async () => {
  const { calls, lines } = await svc()
  expect(calls).toEqual([{ limit: 50 }])
  expect(lines).toEqual([
    '2026-01-05T09:30:02.000Z  retrying  ops-hook  hooks.example.test#12345678  opened  run_1  2 attempts  next 2026-01-05T09:30:06.000Z  hooks.example.test answered 503\\u{202e}',
    '2026-01-05T09:30:01.000Z  delivered  mail  oncall@example.test  reminder  run_1  1 attempt',
  ])
})

test('asks for what its options narrow it to', async () => {
  const since = '2026-01-01T00:00:00Z'
  const { calls } = await svc('--failed', '--channel', 'mail', '--since', since, '--limit', '5')
  expect(calls).toEqual([{ limit: 5, state: 'retrying,failed', channel: 'mail', since }])
})

test('narrows the notices of one run likewise', async () => {
  const { calls, lines } = await svc('run_1', '--failed', '--json')
  expect(calls).toEqual([['run_1', 50]])
  expect(JSON.parse(lines[0] ?? '')).toEqual([FAILED])
  expect((await svc('run_1', '--channel', 'mail')).lines).toHaveLength(1)
  expect((await svc('run_1', '--since', '2026-02-01T00:00:00Z')).lines).toEqual([])
})

test.each([[['--limit', '0']], [['--limit', '201']], [['--failed', '--state', 'planned']]])(
  'refuses %j',
  async (args) => {
    await expect(svc(...args)).rejects.toMatchObject({ code: expect.stringMatching(/^commander\./) })
  },
)
