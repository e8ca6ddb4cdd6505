import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerHalt } from '#cli/commands/halt.ts'
import type { Schema } from '#client/create-client.ts'

const HALT: Schema<'Halt'> = {
  id: 'halt_1',
  scope: {},
  reason: 'a drill\u202e',
  by: { type: 'user', id: 'usr_1', display: 'Ann' },
  created_at: '2026-01-05T09:30:00.000Z',
  held: { runs: 1 },
}

async function svc(...args: string[]) {
  const calls: unknown[] = []
  const lines: string[] = []
  const api = {
    halts: async () => [HALT],
    setHalt: async (draft: Schema<'HaltDraft'>) => {
      calls.push(draft)
      return { ...HALT, scope: draft.scope ?? {} }
    },
    liftHalt: async (id: string) => void calls.push(id),
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  program.command('other')
  registerHalt(program, { api: () => api, out: (line) => void lines.push(line) })
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync(['halt', ...args], { from: 'user' })
  return { calls, lines }
}

test('halts everything, or what its options narrow it to', async () => {
  expect((await svc('--reason', 'why')).calls).toEqual([{ scope: {}, reason: 'why' }])
  const narrow = ['--workspace', 'ws_1', '--environment', 'production', '--template', 'a/b', '--requester', 'usr_2']
  const { calls, lines } = await svc('--reason', 'why', ...narrow)
  const scope = { workspace: 'ws_1', environment: 'production', template: 'a/b', requester: 'usr_2' }
  expect(calls).toEqual([{ scope, reason: 'why' }])
  expect(lines[0]).toContain('workspace ws_1, environment production, template a/b, requester usr_2  1 run  Ann')
  expect(lines[1]).toContain('svc halt --lift halt_1')
})

test('lists what is in force, and lifts it', async () => {
  expect((await svc('--list')).lines).toEqual([
    'halt_1  everything  1 run  Ann  2026-01-05T09:30:00.000Z  a drill\\u{202e}',
  ])
  expect(JSON.parse((await svc('--list', '--json')).lines[0] ?? '')).toEqual([HALT])
  expect(await svc('--lift', 'halt_1')).toEqual({ calls: ['halt_1'], lines: ['halt_1  lifted; held runs continue'] })
})

test('does nothing without a reason, and not two things at once', async () => {
  await expect(svc()).rejects.toMatchObject({ code: 'validation_failed' })
  for (const both of [
    ['--list', '--lift', 'halt_1'],
    ['--list', '--reason', 'why'],
    ['--lift', 'halt_1', '--reason', 'why'],
  ])
    await expect(svc(...both)).rejects.toMatchObject({ code: 'commander.conflictingOption' })
})
