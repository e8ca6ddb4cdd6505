import { describe, expect, inject, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { createPeople } from '#services/auth/create-people.ts'
import { bootstrapOwner, ensureFirstOwner } from '#services/auth/ensure-first-owner.ts'
import { createDb } from '#store/db.ts'
import { createUserStore } from '#store/users.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createTestDatabase } from '../support/database.ts'
import { addUser } from '../support/users.ts'

const passwords = createPasswords()
const ports = { passwords, ids: createIds(), clock: Date.now }
const OWNER = { email: ' Ada@Example.test ', password: 'correct horse battery staple' }

const database = testDatabase()
const users = fileFixture(() => createUserStore(database.db))

const add = (rights: Parameters<typeof addUser>[1] = {}) =>
  addUser({ identity: { users, passwords, tokens: undefined } }, rights)

describe('the first owner', () => {
  it('is made once, however many start at once, with one record of it', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        ensureFirstOwner({ ...ports, users }, n % 2 === 0 ? OWNER : { ...OWNER, email: 'eve@example.test' }),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'created').length).toBe(1)
    expect(outcomes.filter((outcome) => outcome === 'exists').length).toBe(5)
    const owners = await database.db`select email, account_id, workspaces, status from users`
    expect(owners.length).toBe(1)
    expect(owners[0]).toMatchObject({ account_id: 'acc_local', workspaces: ['*'], status: 'active' })
    const records = await database.db`select 1 from audit_outbox where draft ->> 'action' = 'owner.bootstrapped'`
    expect(records.length).toBe(1)
  })

  it('is not made where there is one, from the command line either', async () => {
    expect(await bootstrapOwner({ ...ports, ...OWNER, databaseUrl: database.url })).toBe('exists')
  })

  it('is not made over somebody who has the address', async () => {
    const other = await createTestDatabase(inject('postgres_url'))
    await addUser(
      { identity: { users: createUserStore(other.db), passwords, tokens: undefined } },
      { email: 'ada@example.test' },
    )
    expect(await bootstrapOwner({ ...ports, ...OWNER, databaseUrl: other.url })).toBe('email_taken')
    const bea = { ...ports, ...OWNER, email: 'bea@example.test', display_name: ' Bea ' }
    expect(await bootstrapOwner({ ...bea, databaseUrl: other.url })).toBe('created')
    expect(await createUserStore(other.db).admins()).toEqual([{ name: 'Bea', workspaces: ['*'] }])
    await other.drop()
  })

  it.each([
    ['no address', 'ada', OWNER.password],
    ['a short password', OWNER.email, 'too short'],
    ['a name without letters', OWNER.email, OWNER.password, ' '],
  ])('takes %s from nobody', async (_what, email, password, display_name?: string) => {
    const empty = { hasOwner: async () => false, createFirstOwner: () => Promise.reject(new Error('was made')) }
    await expect(ensureFirstOwner({ ...ports, users: empty }, { email, password, display_name })).rejects.toMatchObject(
      {
        code: 'validation_failed',
      },
    )
  })

  it('of a database without tables is told to start the service first', async () => {
    const admin = createDb(inject('postgres_url'), { max: 1 })
    await admin.unsafe('create database no_tables_yet')
    const url = new URL(inject('postgres_url'))
    url.pathname = '/no_tables_yet'
    await expect(bootstrapOwner({ ...ports, ...OWNER, databaseUrl: url.toString() })).rejects.toMatchObject({
      code: 'not_configured',
    })
    await admin.unsafe('drop database no_tables_yet with (force)')
    await admin.end()
  })
})

describe('a row', () => {
  it.each([
    ['an unknown role', { roles: ['king'] }, 'users_know_their_roles'],
    ['no role', { roles: [] }, 'users_know_their_roles'],
    ['no home', { workspaces: [] }, 'users_have_a_home'],
    ['a viewer everywhere', { workspaces: ['*'] }, 'users_everywhere_only_above'],
    [
      'everywhere and elsewhere',
      { roles: ['owner'], workspaces: ['*', DEFAULT_WORKSPACE_ID] },
      'users_everywhere_only_above',
    ],
    ['active without a password', { password_hash: null }, 'users_active_can_sign_in'],
    ['an invitation beside a password', { invite_hash: 'f'.repeat(64) }, 'users_invited_hold_an_invitation'],
    ['a hash of another kind', { password_hash: '$2b$10$abc' }, 'users_password_hash_check'],
    ['a version below one', { token_version: 0 }, 'users_token_version_check'],
  ])('with %s cannot exist', async (_what, patch, constraint) => {
    const user = await add()
    const audit = { ...draft(), subject: { type: 'user', id: user.id } }
    await expect(users.change(user.id, () => ({ patch, audit }))).rejects.toMatchObject({ constraint_name: constraint })
    expect(await users.find(user.id)).toEqual(user)
  })

  it('of a service account is active without a password', async () => {
    expect(await add({ roles: ['service'], password_hash: null })).toMatchObject({ status: 'active' })
  })

  it('has one spelling of its address', async () => {
    await add({ email: 'one@example.test' })
    await expect(add({ email: 'One@example.test' })).rejects.toMatchObject({ code: '23514' })
    await expect(add({ email: 'one@example.test' })).rejects.toThrow('the user was not made')
  })

  it('cannot be deleted by the services', async () => {
    await expect(database.db`delete from users`).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a change', () => {
  it('that is refused leaves neither a change nor a record', async () => {
    const user = await add()
    const count = async () => (await database.db`select 1 from audit_outbox`).length
    const before = await count()
    await expect(
      users.change(user.id, () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await users.find(user.id)).toEqual(user)
    expect(await count()).toBe(before)
  })

  it('of two owners at once sees the other one: both cannot leave', async () => {
    const account_id = 'acc_two_owners'
    const pair = await Promise.all([1, 2].map(() => add({ account_id, roles: ['owner'], workspaces: ['*'] })))
    const leave = (id: string) =>
      users.change(id, (_current, others) => {
        if (others === 0) throw new Error('the last one')
        return { patch: { roles: ['admin'] }, audit: draft() }
      })
    const results = await Promise.allSettled(pair.map((owner) => leave(owner.id)))
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await users.countOwners(account_id)).toBe(1)
  })
})

it('delegators are those who are away now, active, and name this user', async () => {
  const delegate = await add()
  const away = await add({ delegate_to: delegate.id, out_of_office_until: '2099-01-01T00:00:00.000Z' })
  await add({ delegate_to: delegate.id, out_of_office_until: '2020-01-01T00:00:00.000Z' })
  await add({ delegate_to: delegate.id })
  await add({ delegate_to: delegate.id, out_of_office_until: '2099-01-01T00:00:00.000Z', status: 'disabled' })
  expect((await users.delegators(delegate.id)).map((row) => row.id)).toEqual([away.id])
})

it('people are found by id and by address, with both kinds of roles, and lend them while away', async () => {
  const people = createPeople(users)
  const delegate = await add({ roles: ['approver'] })
  const lending = { delegate_to: delegate.id, out_of_office_until: '2099-01-01T00:00:00.000Z' }
  const away = await add({ roles: ['approver'], approval_roles: ['dba'], ...lending })
  // who may not decide has nothing to lend
  await add({ roles: ['viewer'], approval_roles: ['dba'], ...lending })
  const person = { id: away.id, roles: ['approver', 'dba'], workspaces: [DEFAULT_WORKSPACE_ID], active: true }
  expect(await people.find(away.id)).toMatchObject(person)
  expect(await people.find(away.email.toUpperCase())).toMatchObject(person)
  expect(await people.find('nobody@example.test')).toBeUndefined()
  expect(await people.delegators(delegate.id, DEFAULT_WORKSPACE_ID)).toEqual([
    { of: away.id, roles: ['approver', 'dba'], changed_by: away.changed_by },
  ])
  expect(await people.delegators(delegate.id, 'ws_elsewhere')).toEqual([])
})

function draft() {
  return {
    id: ports.ids.next('audit'),
    ts: new Date().toISOString(),
    category: 'admin' as const,
    action: 'user.changed',
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor: { type: 'system' as const, id: 'test', auth: 'none' as const },
    subject: { type: 'user', id: 'usr_x' },
    data: {},
  }
}
