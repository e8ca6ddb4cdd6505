import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerAnsweringAccounts } from '#cli/commands/answering-accounts.ts'
import type { Schema } from '#client/create-client.ts'

const BOT = { id: 'usr_1', display: 'Answer\u202ebot', email: 'bot@example.test', named: false, answers: false }
const GONE = { id: 'usr_3', display: 'usr_3', named: true, answers: false }

async function svc(args: string[], accounts: Schema<'AnsweringAccount'>[] = [BOT, { ...BOT, ...YES }, GONE]) {
  const calls: string[] = []
  const out: string[] = []
  const err: string[] = []
  const api = {
    answeringAccounts: async () => accounts,
    addAnsweringAccount: async (id: string) => void calls.push(`add ${id}`),
    removeAnsweringAccount: async (id: string) => void calls.push(`remove ${id}`),
  }
  const program = new Command().exitOverride()
  registerAnsweringAccounts(program, {
    api: () => api,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    screen: () => undefined,
  })
  await program.parseAsync(['answering-accounts', ...args], { from: 'user' })
  return { calls, out, err }
}

const YES = { id: 'usr_2', display: 'b@example.test', email: 'b@example.test', named: true, answers: true }

test('lists the accounts that could answer, and says which do', async () => {
  const { out } = await svc(['list'])
  expect(out.map((line) => line.split(/ {2,}/))).toEqual([
    ['ACCOUNT', 'EMAIL', 'NAME', 'ANSWERS FOR YOU'],
    ['usr_1', 'bot@example.test', 'Answer\\u{202e}bot', 'no'],
    ['usr_2', 'b@example.test', 'yes'],
    ['usr_3', 'usr_3', 'named, but cannot'],
  ])
  expect((await svc(['list', '--json'])).out.map((line): unknown => JSON.parse(line))).toHaveLength(3)
  expect((await svc(['list'], [])).err.join()).toContain('approvals:on_behalf')
})

test('names one by its id or its mail address, and takes the name back', async () => {
  expect(await svc(['add', 'Bot@example.test'])).toEqual({
    calls: ['add usr_1'],
    err: [],
    out: ['Answer\\u{202e}bot may answer gates for you; to stop it: svc answering-accounts remove usr_1'],
  })
  expect((await svc(['add', 'usr_1'])).calls).toEqual(['add usr_1'])
  expect((await svc(['remove', 'usr_3'])).calls).toEqual(['remove usr_3'])
})

test('says where to look where there is no such account', async () => {
  await expect(svc(['add', 'no-one@elsewhere.test'])).rejects.toThrow(
    'no service account that could answer for you is named "no-one@elsewhere.test"; see which there are with: svc answering-accounts list',
  )
})
