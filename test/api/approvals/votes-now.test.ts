import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Schema } from '#client/create-client.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { resolutionOf } from '#core/notify/gate-facts.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

/** Anyone who shows a gate counts its votes as its decision does: the same function, over the same record. */
let admin: UserRow
let inviter: UserRow

type Headers = Record<string, string>
interface Answer {
  status: number
  approvals: { have: number; need: number }
  resolved: boolean
  detail: string
}

const database = testDatabase()
const api = testSealedApi(database)
beforeAll(async () => {
  admin = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })
  inviter = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })
})

const as = (user: UserRow) => bearer(api.deps, user)
const approver = (rights: UserPatch = {}) => addUser(api.deps, { roles: ['approver'], ...rights })

async function send(method: string, path: string, body: object | undefined, headers: Headers): Promise<void> {
  const init = { method, headers: { 'content-type': 'application/json', ...headers } }
  const answer = await api.app.request(path, { ...init, ...(body && { body: JSON.stringify(body) }) })
  expect(answer.status, `${method} ${path}: ${await answer.clone().text()}`).toBeLessThan(300)
}

/** An account that may answer for others, with a key. */
async function account(): Promise<{ id: string; headers: Headers }> {
  const by = await as(inviter)
  const rights = { roles: ['service'], scopes: ['approvals:on_behalf'], workspaces: [DEFAULT_WORKSPACE_ID] }
  const made = await api.post('/admin/users', { email: `${randomUUID()}@example.test`, ...rights }, by)
  const { id } = (await made.json()) as { id: string }
  await send('PATCH', `/admin/users/${id}`, { status: 'active' }, by)
  const key = await api.post('/admin/api-keys', { account: id, name: 'k', scopes: ['approvals:on_behalf'] }, by)
  const { token } = (await key.json()) as { token: string }
  return { id, headers: { authorization: `Bearer ${token}` } }
}

const name = async (person: UserRow, { id }: { id: string }) =>
  send('PUT', `/auth/me/answering-accounts/${id}`, undefined, await as(person))
const takeBack = async (person: UserRow, { id }: { id: string }) =>
  send('DELETE', `/auth/me/answering-accounts/${id}`, undefined, await as(person))

interface Gate {
  run_id: string
  gate_id: string
}

async function gate(required: object = {}, run: Partial<RunDraft> = {}): Promise<Gate> {
  const run_id = await admitTestRun(api, run)
  const gate_id = await parkTestRun(api, run_id, {
    required: { approvals: 2, approval_roles: [], prevent_self: false, ...required },
  })
  return { run_id, gate_id }
}

async function answer({ run_id }: Gate, headers: Headers, approver?: UserRow): Promise<Answer> {
  const body = { decision: 'approve', ...(approver && { approver: approver.id }) }
  const response = await api.post(`/runs/${run_id}/resume`, body, headers)
  return { ...((await response.json()) as Answer), status: response.status }
}

/** What somebody is shown of a gate, wherever it is shown. */
async function shown({ run_id }: Gate, to: UserRow) {
  const headers = await as(to)
  const read = async (path: string) => (await api.get(path, headers)).json()
  const gates = (await read('/approvals?limit=200')) as {
    run_id: string
    approvals: { have: number }
    missing: { approvals: number; roles: string[][]; text: string }
    you_may: string[]
  }[]
  const line = gates.find((each) => each.run_id === run_id)
  const pending = (await read(`/runs/${run_id}/pending-approval`)) as {
    missing: object
    decisions: { counts: boolean; via?: { id: string } }[]
  }
  expect(pending.missing).toEqual(line?.missing)
  const queue = (await read('/approvals?awaiting_me=true&limit=200')) as { run_id: string }[]
  const runs = (await read('/runs?awaiting_me=true&limit=200')) as { id: string }[]
  const awaits = queue.some((each) => each.run_id === run_id)
  expect(runs.some(({ id }) => id === run_id)).toBe(awaits)
  expect(line?.you_may.includes('approve')).toBe(awaits)
  return { ...line, counts: pending.decisions.map(({ counts }) => counts), awaits }
}

describe('an answer of an account', () => {
  it.each<[string, (person: UserRow, bot: { id: string }) => Promise<void>]>([
    ['whose name was taken back', takeBack],
    [
      'which was disabled',
      async (_, { id }) => send('PATCH', `/admin/users/${id}`, { status: 'disabled' }, await as(admin)),
    ],
    ['which lost the scope', async (_, { id }) => send('PATCH', `/admin/users/${id}`, { scopes: [] }, await as(admin))],
  ])('%s counts nowhere, and the person and the one who invited the account answer themselves', async (_, end) => {
    const [bob, bot, about] = [await approver(), await account(), await gate()]
    await name(bob, bot)
    expect(await answer(about, bot.headers, bob)).toMatchObject({ status: 200, approvals: { have: 1 } })
    for (const each of [bob, inviter])
      expect(await shown(about, each)).toMatchObject({ approvals: { have: 1 }, counts: [true], awaits: false })
    await end(bob, bot)
    for (const each of [bob, inviter])
      expect(await shown(about, each)).toMatchObject({
        ...{ approvals: { have: 0 }, missing: { approvals: 2, text: '2 more approvals' }, counts: [false] },
        ...{ you_may: ['approve', 'reject'], awaits: true },
      })
    expect(await answer(about, await as(bob))).toMatchObject({ status: 200, approvals: { have: 1 }, resolved: false })
    expect(await shown(about, bob)).toMatchObject({ approvals: { have: 1 }, counts: [false, true], awaits: false })
    expect(await answer(about, await as(inviter))).toMatchObject({
      status: 200,
      approvals: { have: 2 },
      resolved: true,
    })
    const record = await createNoticeGates(createNoticeViews(database.db), api.deps.services).find(about.gate_id)
    expect(record && resolutionOf(record).by).toBe(`${bob.email} and ${inviter.email}`)
    const run = (await (await api.get(`/runs/${about.run_id}`, await as(bob))).json()) as Schema<'Run'>
    expect(run.gates[0]?.decisions?.map(({ by, via }) => [by, via?.id])).toEqual([
      [bob.id, bot.id],
      [bob.id, undefined],
      [inviter.id, undefined],
    ])
  })

  it('and one of the person are one vote, also when the account is named again', async () => {
    const [bob, bot, about] = [await approver(), await account(), await gate()]
    await name(bob, bot)
    await answer(about, bot.headers, bob)
    await takeBack(bob, bot)
    await answer(about, await as(bob))
    await name(bob, bot)
    expect(await shown(about, bob)).toMatchObject({ approvals: { have: 1 }, counts: [true, true], awaits: false })
    expect(await answer(about, bot.headers, bob)).toMatchObject({ status: 409 })
    expect(await answer(about, await as(await approver()))).toMatchObject({ approvals: { have: 2 }, resolved: true })
  })

  it('that counts is named where a second one of the same person is refused', async () => {
    const [bob, carol, about] = [await approver(), await approver(), await gate({ approvals: 3 })]
    const [bot, other] = [await account(), await account()]
    for (const each of [bot, other]) await name(bob, each)
    await name(carol, other)
    await answer(about, bot.headers, bob)
    const refused = async (headers: Headers, approver?: UserRow) => {
      const { status, detail } = await answer(about, headers, approver)
      expect(status).toBe(409)
      return detail
    }
    expect(await refused(await as(bob))).toContain(`svc answering-accounts remove ${bot.id}`)
    expect(await refused(other.headers, bob)).toMatch(/^this approver has answered already: a person and the accounts/)
    expect(await refused(await as(inviter))).toMatch(/^a service account of yours has answered here/)
    expect(await refused(other.headers, carol)).toMatch(/^the person behind this service account has answered here/)
  })

  it('is one of several that came at once: each other gets 409 and is told why', async () => {
    const [bob, about] = [await approver(), await gate()]
    const bots = await Promise.all(Array.from({ length: 6 }, account))
    for (const bot of bots) await name(bob, bot)
    const answers = await Promise.all(bots.map(({ headers }) => answer(about, headers, bob)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    for (const { status, detail } of answers)
      if (status === 409) expect(detail).toMatch(/^this approver has answered already: a person and the accounts/)
    expect(await shown(about, bob)).toMatchObject({ approvals: { have: 1 }, counts: [true] })
  })
})

describe('a vote that counts no longer is shown as it is decided', () => {
  const patch = async (user: UserRow, change: object) =>
    send('PATCH', `/admin/users/${user.id}`, change, await as(admin))
  const clause = { approval_roles: [['dba']] }

  it.each<{
    cause: string
    required?: object
    rights?: UserPatch
    lends?: boolean
    end(voter: UserRow, lender: UserRow | undefined): Promise<void>
    have: number
    roles?: string[][]
  }>([
    { cause: 'whose voter lost the role', end: (bob) => patch(bob, { roles: ['viewer'] }), have: 0 },
    { cause: 'whose voter is disabled', end: (bob) => patch(bob, { status: 'disabled' }), have: 0 },
    {
      cause: 'whose voter left the workspace',
      end: async ({ id }) => void (await database.db`update users set workspaces = '{ws_elsewhere}' where id = ${id}`),
      have: 0,
    },
    {
      cause: 'whose voter lost the role that a clause asks for',
      required: clause,
      rights: { approval_roles: ['dba'] },
      end: (bob) => patch(bob, { approval_roles: [] }),
      have: 1,
      roles: [['dba']],
    },
    {
      cause: 'whose voter was changed by somebody who shaped the run',
      required: { prevent_self: true },
      end: (bob) => patch(bob, { approval_roles: ['dba'] }),
      have: 0,
    },
    {
      cause: 'whose lent role was taken back',
      required: clause,
      lends: true,
      end: async (_, lender) => lender && send('PATCH', '/auth/me', { delegate_to: null }, await as(lender)),
      have: 1,
      roles: [['dba']],
    },
    {
      cause: 'whose lender lost the role',
      required: clause,
      lends: true,
      end: async (_, lender) => lender && patch(lender, { approval_roles: [] }),
      have: 1,
      roles: [['dba']],
    },
  ])('$cause', async ({ required, rights, lends, end, have, roles = [] }) => {
    const [bob, carol] = [await approver(rights), await approver()]
    const lender = lends ? await approver({ approval_roles: ['dba'] }) : undefined
    const away = { delegate_to: bob.id, out_of_office_until: '2099-01-01T00:00:00.000Z' }
    if (lender) await send('PATCH', '/auth/me', away, await as(lender))
    const actor = { type: 'user', id: admin.id }
    const about = await gate({ approvals: 3, ...required }, { provenance: { trigger: { type: 'direct' }, actor } })
    expect(await answer(about, await as(bob))).toMatchObject({ status: 200, approvals: { have: 1 } })
    expect(await shown(about, carol)).toMatchObject({ approvals: { have: 1 }, missing: { roles: [] } })
    await end(bob, lender)
    const seen = await shown(about, carol)
    expect(seen).toMatchObject({ approvals: { have }, missing: { roles }, counts: [have === 1] })
    expect(await answer(about, await as(carol))).toMatchObject({ status: 200, approvals: { have: have + 1 } })
  })
})
