import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerDeliveries } from '#cli/commands/deliveries.ts'
import type { Schema } from '#client/create-client.ts'

const RUN = `run_${'1'.repeat(26)}`
const REASON = 'hooks.example.test answered 503\\u{202e}'
const AGO = (ms: number) => new Date(Date.now() - ms).toISOString()
const FAILED: Schema<'NoticeDelivery'> = {
  id: 'ntf_1',
  run_id: RUN,
  gate_id: 'gate_1',
  kind: 'opened',
  channel: 'ops-hook',
  recipient: 'hooks.example.test#12345678',
  state: 'retrying',
  attempts: 2,
  last_error: 'hooks.example.test answered 503\u202e',
  planned_at: AGO(3_600_500),
  last_attempt_at: '2026-01-05T09:30:02.000Z',
  next_attempt_at: AGO(-240_500),
}
const ARRIVED: Schema<'NoticeDelivery'> = {
  id: 'ntf_2',
  run_id: RUN,
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
    deliveries: async (query: object, limit: number) => {
      calls.push({ ...query, limit })
      return { items: [FAILED, ARRIVED], total: { count: 60, at_least: false } }
    },
    runs: async (query: object) => {
      calls.push(query)
      return { items: [{ id: RUN }] as Schema<'Run'>[] }
    },
    runDeliveries: async (...of: unknown[]) => {
      calls.push(of)
      return { items: [FAILED, ARRIVED], total: { count: 2, at_least: false } }
    },
  }
  const program = new Command().exitOverride()
  program.command('other')
  const err: string[] = []
  registerDeliveries(program, {
    api: () => api,
    out: (line) => void lines.push(line),
    err: (line) => void err.push(line),
    screen: () => undefined,
  })
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync(['deliveries', ...args], { from: 'user' })
  return { calls, lines, err }
}

test('says who was reached and who was not, why, and when it is tried again', async () => {
  const { calls, lines, err } = await svc()
  expect(calls).toEqual([{ limit: 50 }])
  expect(err).toEqual(['2 of 60 are shown; --limit shows more'])
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ['RUN', 'NOTICE', 'STATE', 'CHANNEL', 'RECIPIENT', 'TRIES', 'NEXT', 'AGE', 'ERROR'],
    [
      RUN,
      'opened',
      'retrying',
      'ops-hook',
      'hooks.example.test#12345678',
      '2',
      expect.stringMatching(/^in [34] min/),
      '1 h',
      REASON,
    ],
    [RUN, 'reminder', 'delivered', 'mail', 'oncall@example.test', '1', expect.stringMatching(/^\d+ d$/)],
  ])
  const wide = await svc('-o', 'wide')
  expect(wide.lines[0]).toMatch(/GATE {2,}PLANNED {2,}LAST TRY {2,}DELIVERED$/)
})

test('is one record a line for programs', async () => {
  for (const form of [['--json'], ['-o', 'json']])
    expect((await svc(...form)).lines.map((line) => JSON.parse(line))).toEqual([FAILED, ARRIVED])
})

test('asks for what its options narrow it to', async () => {
  const since = '2026-01-01T00:00:00.000Z'
  const { calls } = await svc('--failed', '--channel', 'mail', '--since', since, '--limit', '5')
  expect(calls).toEqual([{ limit: 5, state: 'retrying,failed', channel: 'mail', since }])
})

test('narrows the notices of one run likewise, named by the first characters of it', async () => {
  const { calls, lines } = await svc('1111', '--failed', '--json')
  expect(calls).toEqual([{ q: 'run_1111' }, [RUN, 50]])
  expect(lines.map((line) => JSON.parse(line))).toEqual([FAILED])
  expect((await svc(RUN, '--channel', 'mail', '--json')).lines).toHaveLength(1)
  expect((await svc(RUN, '--since', '2h', '--json')).lines.map((line) => JSON.parse(line))).toEqual([FAILED])
  const none = await svc(RUN, '--since', '1m')
  expect([none.lines, none.err]).toEqual([[], [expect.stringContaining('svc check --send')]])
})

test.each([[['--limit', '0']], [['--limit', '201']], [['--since', 'lately']], [['--failed', '--state', 'planned']]])(
  'refuses %j',
  async (args) => {
    await expect(svc(...args)).rejects.toMatchObject({ code: expect.stringMatching(/^commander\./) })
  },
)
