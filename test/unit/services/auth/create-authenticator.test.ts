import { beforeEach, describe, expect, it } from 'vitest'
import { createTokens } from '#platform/tokens.ts'
import { createAuthenticator } from '#services/auth/create-authenticator.ts'
import type { UserRow } from '#store/users.ts'

const USER: UserRow = {
  id: 'usr_00000000000000000000000001',
  account_id: 'acc_local',
  email: 'ci@example.test',
  display_name: 'CI',
  roles: ['service'],
  approval_roles: ['dba'],
  scopes: ['approvals:on_behalf', 'runs:start'],
  workspaces: ['ws_00000000000000000000000000'],
  status: 'active',
  password_hash: null,
  invite_hash: null,
  invite_expires_at: null,
  token_version: 1,
  out_of_office_until: null,
  delegate_to: null,
  last_login_at: null,
  invited_by: 'usr_00000000000000000000000002',
  answering_accounts: [],
  ended_sessions: [],
  changed_by: {},
  created_at: '',
  updated_at: '',
  position: '',
}

let now: number
let row: UserRow | undefined
let loads: number
const clock = () => now
const tokens = createTokens({ secret: 'a secret of more than thirty-two bytes', ttl_ms: 3_600_000, clock })

beforeEach(() => {
  now = Date.parse('2026-01-05T09:30:00.000Z')
  row = USER
  loads = 0
})

function create() {
  const find = async () => {
    loads += 1
    return row
  }
  return createAuthenticator({ tokens, users: { find }, clock, cache_ms: 5_000 })
}

async function header(version = 1, scopes: string[] = USER.scopes): Promise<string> {
  return `Bearer ${(await tokens.issue({ ...USER, token_version: version }, scopes)).token}`
}

describe('the actor behind a token', () => {
  it('is the user as stored, with the scopes that user and token share', async () => {
    expect(await create().actor(await header(1, ['runs:start', 'admin:everything']))).toEqual({
      type: 'service',
      id: USER.id,
      display: 'CI',
      email: USER.email,
      human_root: USER.invited_by,
      account_id: 'acc_local',
      roles: ['service'],
      approval_roles: ['dba'],
      scopes: ['runs:start'],
      workspaces: USER.workspaces,
      auth: 'jwt',
      token_version: 1,
    })
  })

  it('is a user unless the role says service, and everywhere with `*`', async () => {
    row = { ...USER, roles: ['owner'], workspaces: ['*'] }
    const actor = await create().actor(await header())
    expect([actor.type, actor.workspaces, actor.human_root]).toEqual(['user', '*', undefined])
  })
})

describe('what is remembered', () => {
  it('is one user for five seconds, however many requests come', async () => {
    const auth = create()
    for (let n = 0; n < 10; n += 1) await auth.actor(await header())
    expect(loads).toBe(1)
    now += 4_999
    await auth.actor(await header())
    expect(loads).toBe(1)
    now += 1
    await auth.actor(await header())
    expect(loads).toBe(2)
  })

  it('does not keep out a token that is newer than it', async () => {
    const auth = create()
    await auth.actor(await header(1))
    row = { ...USER, token_version: 2 }
    expect((await auth.actor(await header(2))).id).toBe(USER.id)
    await expect(auth.actor(await header(1))).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is never that somebody is unknown', async () => {
    const auth = create()
    row = undefined
    await expect(auth.actor(await header())).rejects.toMatchObject({ code: 'unauthenticated' })
    row = USER
    expect((await auth.actor(await header())).id).toBe(USER.id)
  })
})

it('a header that is no sound token never reaches the database', async () => {
  const auth = create()
  for (const given of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer a.b.c',
    `Bearer ${'a'.repeat(9_000)}.b.c`,
    'Basic eDp5',
  ]) {
    await expect(auth.actor(given)).rejects.toMatchObject({ code: 'unauthenticated' })
  }
  expect(loads).toBe(0)
})

it('a database that is away is not a bad token', async () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  const auth = createAuthenticator({ tokens, users: { find: () => Promise.reject(away) }, clock, cache_ms: 5_000 })
  await expect(auth.actor(await header())).rejects.toBe(away)
})
