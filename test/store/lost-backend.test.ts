import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { createDb, type Db } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { createUserStore, type UserInvitation } from '#store/users.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { runDraft } from '#test/support/test-runs.ts'
import { addUser } from '#test/support/users.ts'

const FINGERPRINT = 'alertmanager|shop|down'
const ids = createIds()
/** what the service runs on; it loses its backends */
/** holds rows, so that a statement is under way for as long as it takes to end its backend */
let escaped: unknown[] = []
const note = (error: unknown) => void escaped.push(error)

const database = testDatabase()
const db = fileFixture(
  () => createDb(database.url, { max: 1, name: 'victim' }),
  (db) => db.end({ timeout: 1 }),
)
const holder = fileFixture(
  () => createDb(database.url, { max: 1, name: 'holder' }),
  (db) => db.end({ timeout: 1 }),
)
const users = fileFixture(() => createUserStore(db))
beforeEach(() => {
  escaped = []
  process.on('uncaughtExceptionMonitor', note)
})
afterEach(() => process.off('uncaughtExceptionMonitor', note))

/** Ends the backend in which `act` waits for what the holder holds, and lets go again. */
async function loseBackend(hold: (sql: Db) => PromiseLike<unknown>, act: () => Promise<unknown>): Promise<void> {
  await holder`begin`
  await hold(holder)
  const acting = expect(act()).rejects.toThrow()
  await vi.waitFor(async () => {
    const ended = await database.db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'victim' and wait_event_type = 'Lock'`
    expect(ended.length).toBe(1)
  }, PATIENCE)
  await acting
  await holder`rollback`
  // what the driver would write to a connection that is gone, it writes in a later turn
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(escaped).toEqual([])
}

const audit = (id: string) => ({
  id: ids.next('audit'),
  ts: new Date().toISOString(),
  category: 'admin' as const,
  action: 'user.changed',
  workspace_id: DEFAULT_WORKSPACE_ID,
  actor: { type: 'system' as const, id: 'test', auth: 'none' as const },
  subject: { type: 'user', id },
  data: {},
})

const recorded = async (id: string) => {
  const rows = await database.db`select 1 from audit_outbox where draft #>> '{subject,id}' = ${id}`
  return rows.length
}

test('a change of a user that loses its backend is refused, changes nothing and leaves the process alone', async () => {
  const { id } = await addUser({ identity: { users, passwords: createPasswords(), tokens: undefined } }, {})
  const change = () => users.change(id, () => ({ patch: { display_name: 'changed' }, audit: audit(id) }))
  const before = await recorded(id)
  await loseBackend((sql) => sql`select 1 from users where id = ${id} for update`, change)
  expect((await createUserStore(database.db).find(id))?.display_name).not.toBe('changed')
  expect(await recorded(id)).toBe(before)
  expect((await change())?.display_name).toBe('changed')
  expect(await recorded(id)).toBe(before + 1)
})

test('an invitation that loses its backend invites nobody and leaves the process alone', async () => {
  const user: UserInvitation = {
    id: ids.next('user'),
    account_id: 'acc_local',
    email: 'bea@example.test',
    display_name: null,
    roles: ['viewer'],
    approval_roles: [],
    scopes: [],
    workspaces: [DEFAULT_WORKSPACE_ID],
    invite_hash: 'a'.repeat(64),
    invite_expires_at: '2099-01-01T00:00:00.000Z',
    invited_by: 'usr_local',
  }
  const invite = () => users.invite(user, audit(user.id))
  await loseBackend((sql) => sql`insert into users ${sql({ ...user, id: ids.next('user') })}`, invite)
  expect(await createUserStore(database.db).findByEmail(user.email)).toBeUndefined()
  expect((await invite())?.id).toBe(user.id)
  expect(await invite()).toBeUndefined()
  expect(await recorded(user.id)).toBe(1)
})

test('a recovery that loses its backend is not noted and leaves the process alone', async () => {
  const run = runDraft({ fingerprint: FINGERPRINT, alerts: [{ delivery_id: 'dlv_1', member: 'a' }] })
  await createRunStore(db, database.tenants).admit([run])
  const alerts = createAlertStore(db)
  const resolve = () => alerts.resolve(DEFAULT_WORKSPACE_ID, 'dlv_2', [{ fingerprint: FINGERPRINT, member: 'a' }])
  await loseBackend((sql) => sql`select 1 from runs where id = ${run.id} for update`, resolve)
  const noted = () => database.db`select 1 from run_alerts where run_id = ${run.id} and status = 'resolved'`
  expect(await noted()).toHaveLength(0)
  expect(await resolve()).toMatchObject([
    { run_id: run.id, fingerprint: FINGERPRINT, member: 'a', remaining: 0, late: false },
  ])
  expect(await noted()).toHaveLength(1)
})

test('a read of a workspace that loses its backend, at work or at rest, costs answers and not the process', async () => {
  const tenants = createTenantDb(database.url, { max: 1, name: 'reader' })
  const ended = (sql: Db) => sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'reader'`
  const read = () => tenants.in(DEFAULT_WORKSPACE_ID, (sql) => sql`select count(*) from runs`)
  await expect(tenants.in(DEFAULT_WORKSPACE_ID, ended)).rejects.toThrow()
  expect(await read()).toHaveLength(1)
  await ended(database.db)
  // it may be sent before the end of its backend is known
  expect(await read().catch(read)).toHaveLength(1)
  expect(await read()).toHaveLength(1)
  expect(escaped).toEqual([])
  await tenants.end()
})

test('a read that comes when its session has been idle for long is answered', async () => {
  const idle_ms = 15
  const tenants = createTenantDb(database.url, { max: 1, name: 'idler', idle_ms })
  const pids = new Set<number>()
  for (let n = 0; n < 60; n += 1) {
    const [row] = await tenants.in(
      DEFAULT_WORKSPACE_ID,
      (sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`,
    )
    pids.add(row?.pid ?? 0)
    // sometimes before its end, sometimes after it
    await new Promise((resolve) => setTimeout(resolve, idle_ms - 1 + (n % 3)))
  }
  expect(pids.size).toBeGreaterThan(1)
  await tenants.end()
})

function createSignal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => (give = resolve))
  return { given, give: () => give() }
}

test('a transaction that has lost its connection between two statements sends nothing in the next one on it', async () => {
  const [begun, refused] = [createSignal(), createSignal()]
  const late: unknown[] = []
  const dead = db.begin(async (tx) => {
    const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    await database.db`select pg_terminate_backend(${own?.pid ?? 0})`
    await begun.given
    for (const write of [() => tx`create table late_rows ()`, () => tx.unsafe('create table later_rows ()')])
      await Promise.resolve()
        .then(write)
        .catch((error: unknown) => late.push(error))
    refused.give()
  })
  await expect(dead).rejects.toThrow()
  await db.begin(async (tx) => {
    await tx`select 1`
    begun.give()
    await refused.given
    await tx`select 1`
  })
  expect(late).toHaveLength(2)
  expect(await db`select to_regclass('late_rows') as late, to_regclass('later_rows') as later`).toEqual([
    { late: null, later: null },
  ])
  expect(escaped).toEqual([])
})
