import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { AnsweringAccount } from '#core/user/schema.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { auditOf } from '#services/auth/identity.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listAnsweringAccounts')

const OTHER = 'ws_0000000000000000000000000b'
const PATH = '/auth/me/answering-accounts'

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
const api = testAuthApi(database)
const open = testApi(database)

itRefuses('listAnsweringAccounts', () => ({ api: open }), [[501, 'not_configured', () => () => open.app.request(PATH)]])

const account = (changes: Parameters<typeof addUser>[1] = {}) =>
  addUser(api.deps, { roles: ['service'], scopes: ['approvals:on_behalf'], ...changes })

async function listedFor(user: UserRow): Promise<AnsweringAccount[]> {
  const answer = await api.app.request(PATH, { headers: await bearer(api.deps, user) })
  expect(answer.status).toBe(200)
  return z.array(AnsweringAccount).parse(await answer.json())
}

const send = async (method: string, id: string, user: UserRow) =>
  await api.app.request(`${PATH}/${id}`, { method, headers: await bearer(api.deps, user) })

async function edit(user: UserRow, patch: UserPatch): Promise<void> {
  const { ids } = api.deps.services
  const ctx = { ids, clock: Date.now, workspace_id: DEFAULT_WORKSPACE_ID, channel: 'system', actor: ANONYMOUS } as const
  const audit = auditOf(ctx, { category: 'admin', action: 'user.changed', user_id: user.id })
  await api.deps.identity.users.change(user.id, () => ({ patch, audit }))
}

it('lists exactly those that can be named, by name, and says which of them answer', async () => {
  const [zed, bot] = [await account({ display_name: 'Zed' }), await account({ display_name: 'bot' })]
  const everywhere = await account({ display_name: 'Everywhere', roles: ['service', 'admin'], workspaces: ['*'] })
  const others = [
    await addUser(api.deps, { roles: ['approver'] }),
    await addUser(api.deps, { roles: ['service'] }),
    await account({ status: 'disabled' }),
    await account({ account_id: 'acc_foreign' }),
    await account({ workspaces: [OTHER] }),
  ]
  const ann = await addUser(api.deps, { roles: ['approver'] })
  const row = ({ id, email, display_name }: UserRow, named: boolean) => ({
    ...{ id, email, display: display_name, named, answers: named },
  })
  expect(await listedFor(ann)).toEqual([row(bot, false), row(everywhere, false), row(zed, false)])
  expect((await send('PUT', zed.id, ann)).status).toBe(200)
  expect(await listedFor(ann)).toEqual([row(bot, false), row(everywhere, false), row(zed, true)])
  for (const { id } of await listedFor(ann)) expect((await send('PUT', id, ann)).status).toBe(200)
  for (const { id } of others) expect((await send('PUT', id, ann)).status).toBe(404)
  const cid = await addUser(api.deps, { roles: ['approver'], workspaces: [OTHER] })
  expect((await listedFor(cid)).map(({ display }) => display)).toEqual(['Everywhere', others.at(-1)?.email])
})

it('still lists those named that answer no longer, so that they can be removed', async () => {
  const [mute, gone] = [await account({ display_name: 'Mute' }), await account({ display_name: 'Gone' })]
  const ann = await addUser(api.deps, { roles: ['approver'], answering_accounts: [mute.id, gone.id] })
  await edit(mute, { scopes: [] })
  await edit(gone, { workspaces: [OTHER] })
  const named = (await listedFor(ann)).filter((each) => each.named)
  expect(named.toSorted((a, b) => b.display.localeCompare(a.display))).toEqual([
    { id: gone.id, display: gone.id, named: true, answers: false },
    { id: mute.id, display: 'Mute', email: mute.email, named: true, answers: false },
  ])
  for (const { id } of named) expect((await send('DELETE', id, ann)).status).toBe(200)
  expect((await listedFor(ann)).filter((each) => each.named)).toEqual([])
})

it('has nothing to say to a service account', async () => {
  const bot = await account()
  const answer = await api.app.request(PATH, { headers: await bearer(api.deps, bot) })
  expect(await codeOf(answer)).toEqual([403, 'forbidden'])
})
