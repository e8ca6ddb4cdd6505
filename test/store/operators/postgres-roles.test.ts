import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { passwordFingerprint, scramVerifier } from '#activities/operators/postgres/scram-verifier.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createRoles } from '#test/support/database-roles.ts'
import { layFaultyLine } from '#test/support/faulty-line.ts'
import { currentSecret, type OpenSecretStore, openBao, putSecret } from '#test/support/openbao.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { startSecretStore } from '#test/support/secret-store.ts'

const HOSTILE = 'ann"; drop role x; --'
const TOKEN = 'token-of-the-tests'
const PATH = 'shop/database'

const operators = createOperators({ egress: createEgressClient() })
let roles: Awaited<ReturnType<typeof createRoles>>
const open: postgres.Sql[] = []

beforeAll(async () => {
  roles = await createRoles(inject('postgres_url'), ['reporting', HOSTILE, 'bob'])
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((sql) => sql.end({ timeout: 1 }).catch(() => undefined)))
})
afterAll(async () => {
  await roles?.drop()
})

function signIn(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  open.push(sql)
  return sql
}

const operatorOf = (id: string) => {
  const found = operators.get(id)
  if (found === undefined) throw new Error(`no operator ${id}`)
  return found
}
type Changes = Parameters<typeof operatorContext>[0]
const contextOf = (changes: Changes = {}) =>
  operatorContext({ egress: ['loopback'], connections: { db: roles.admin_url, vault: '' }, ...changes })
const run = async (id: string, input: JsonObject, changes?: Changes) => {
  const operator = operatorOf(id)
  return (await operator.execute(contextOf(changes), operator.parse({ connection: 'db', ...input }))).outputs
}
const predict = (id: string, input: JsonObject) => {
  const operator = operatorOf(id)
  return operator.simulate?.(contextOf(), operator.parse({ connection: 'db', ...input }))
}

const place = { connection: 'vault', mount: 'secret', path: PATH }
let turns: Awaited<ReturnType<typeof createRoles>>
const turn = (changes: JsonObject = {}) => ({
  ...{ user: turns?.named('shop_b') ?? 'b', in_use: turns?.named('shop_a') ?? 'a', store: place },
  ...changes,
})

describe('postgres.grant and postgres.revoke', () => {
  const asked = (changes: JsonObject = {}) => ({
    role: roles.named('reporting'),
    login: roles.named(HOSTILE),
    ...changes,
  })
  const isMember = async () => {
    const [found] =
      await roles.sql`select pg_has_role(${roles.named(HOSTILE)}, ${roles.named('reporting')}, 'MEMBER') as yes`
    return found?.['yes']
  }

  it('grant to a login whatever it is called, simulate it first, and end its sessions when they take it back', async () => {
    expect(await predict('postgres.grant', asked())).toMatchObject({ ok: true })
    expect(await isMember()).toBe(false)
    expect(await run('postgres.grant', asked())).toEqual({ granted: true })
    expect(await isMember()).toBe(true)
    // a membership that is there is not taken for this grant, unless an attempt of the very step may have made it
    expect(await run('postgres.grant', asked())).toEqual({ granted: false })
    expect(await run('postgres.grant', asked(), { attempt: 2 })).toEqual({ granted: true })

    const session = signIn(roles.urlOf(HOSTILE))
    await session.unsafe(`set role "${roles.named('reporting')}"`)
    expect(await predict('postgres.revoke', asked())).toMatchObject({
      ok: true,
      summary: expect.stringContaining('would take'),
    })
    const taken = await run('postgres.revoke', asked())
    expect(taken).toEqual({ revoked: true, sessions_ended: 1, sessions_left: 0, still_member: false })
    const sessions = () => roles.sql`select pid from pg_stat_activity where usename = ${roles.named(HOSTILE)}`
    await expect.poll(sessions).toEqual([])
    expect(await isMember()).toBe(false)
    expect(await run('postgres.revoke', asked())).toMatchObject({ revoked: false, still_member: false })
  })

  it('may be repeated where the answer is lost, and then know that they have done it', async () => {
    const line = await layFaultyLine(roles.admin_url)
    const through = { connections: { db: line.url(roles.admin_url) } }
    const lost = { code: 'connection_lost', retryable: true, unknown_outcome: false }
    const losing = async (id: string) => {
      line.arm(/^commit/i, 'unknown')
      await expect(run(id, asked(), through)).rejects.toMatchObject(lost)
      expect(line.disarm().failed).toBe(true)
      expect(operatorOf(id).replay(operatorOf(id).parse({ connection: 'db', ...asked() }))).toBe('safe')
    }
    await losing('postgres.grant')
    expect(await isMember()).toBe(true)
    expect(await run('postgres.grant', asked(), { ...through, attempt: 2 })).toEqual({ granted: true })
    await losing('postgres.revoke')
    expect(await isMember()).toBe(false)
    expect(await run('postgres.revoke', asked(), { ...through, attempt: 2 })).toMatchObject({ still_member: false })
    await line.stop()
  })

  it('say when the role stays through another one', async () => {
    const [group, login] = [roles.named('bob'), roles.named(HOSTILE)].map((name) => `"${name.replaceAll('"', '""')}"`)
    await roles.sql.unsafe(`grant ${roles.named('reporting')} to ${group}; grant ${group} to ${login}`)
    expect(await run('postgres.revoke', asked({ end_sessions: false }))).toEqual({
      revoked: false,
      sessions_ended: 0,
      sessions_left: 0,
      still_member: true,
    })
    await roles.sql.unsafe(`revoke ${roles.named('reporting')} from ${group}; revoke ${group} from ${login}`)
  })

  it('give nobody what rules the server, and nothing to a role that is not there', async () => {
    await roles.sql.unsafe(`grant pg_execute_server_program to ${roles.named('bob')}`)
    const refused = (input: JsonObject) => expect(run('postgres.grant', asked(input))).rejects
    await refused({ role: roles.named('bob') }).toMatchObject({ code: 'role_refused' })
    await refused({ role: 'postgres' }).toMatchObject({ code: 'role_refused' })
    await refused({ login: 'nobody at all' }).toMatchObject({ code: 'role_refused' })
    expect(await predict('postgres.grant', asked({ role: 'postgres' }))).toMatchObject({ ok: false })
    await roles.sql.unsafe(`revoke pg_execute_server_program from ${roles.named('bob')}`)
    // its holder could give themselves the other role, for good
    await roles.sql.unsafe(`grant ${roles.named('reporting')} to ${roles.named('bob')} with admin option`)
    await refused({ role: roles.named('bob') }).toMatchObject({ code: 'role_refused' })
    await roles.sql.unsafe(`revoke ${roles.named('reporting')} from ${roles.named('bob')}`)
  })

  it('end the sessions of who is known to have had the role, also when somebody else has taken it', async () => {
    const session = signIn(roles.urlOf('bob'))
    await session`select`
    const revoked = await run('postgres.revoke', asked({ login: roles.named('bob'), had_role: true }))
    expect(revoked).toMatchObject({ revoked: false, sessions_ended: 1 })
    await session.end({ timeout: 1 }).catch(() => undefined)
  })

  it('fail where the login is not there: one that was renamed has the role still', async () => {
    await expect(run('postgres.revoke', asked({ login: 'nobody at all' }))).rejects.toMatchObject({
      code: 'role_refused',
      message: expect.stringContaining('renamed'),
    })
    expect(await predict('postgres.revoke', asked({ login: 'nobody at all' }))).toMatchObject({ ok: false })
  })

  it('give nothing to a login that others can act as', async () => {
    const login = `"${roles.named(HOSTILE).replaceAll('"', '""')}"`
    await roles.sql.unsafe(`grant ${login} to ${roles.named('bob')}`)
    await expect(run('postgres.grant', asked())).rejects.toMatchObject({ code: 'role_refused' })
    await roles.sql.unsafe(`revoke ${login} from ${roles.named('bob')}`)
  })

  it('end no session of who never had the role', async () => {
    const session = signIn(roles.urlOf('bob'))
    const [before] = await session`select pg_backend_pid() as pid`
    expect(await run('postgres.revoke', asked({ login: roles.named('bob') }))).toMatchObject({
      revoked: false,
      sessions_ended: 0,
    })
    expect(await session`select pg_backend_pid() as pid`).toEqual([before])
    await session.end({ timeout: 1 })
  })

  it.each(['public', 'none', 'a'.repeat(64), 'é'.repeat(32), 'a\u0000b', ''])(
    'take no role that is called %j',
    (login) => {
      expect(() => operatorOf('postgres.grant').parse({ connection: 'db', role: 'reporting', login })).toThrow(/login/)
    },
  )

  it('show the very statement', () => {
    const operator = operatorOf('postgres.grant')
    const shown = operator.describe(operator.parse({ connection: 'db', role: 'r', login: 'a"b' }), {
      idempotency_key: '',
    })
    expect(shown.command).toBe('GRANT "r" TO "a""b"')
    expect(operator).toMatchObject({ requires_approval: true, action_type: 'access.grant' })
  })
})

describe('postgres.rotate and postgres.retire with a store in the shapes of Vault', () => {
  takeTurns(() => startSecretStore(TOKEN))

  it('does not know the end where the store fails, and tells nothing of what it was sent', async () => {
    const failing = await startSecretStore(TOKEN)
    await putSecret(failing.url, PATH, { username: turns.named('shop_a') })
    failing.fail(500)
    const at = { idempotency_key: 'run_4:act', connections: { db: turns.admin_url, vault: failing.url } }
    const failed = await run('postgres.rotate', turn(), at).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'http_status', unknown_outcome: true, details: { status: 500 } })
    failing.fail(undefined)
    expect(await run('postgres.rotate', turn(), { ...at, attempt: 2 })).toMatchObject({ version: 2 })
    await failing.stop()
  })

  it('gives no password to who can rule the server, and none for a secret that holds another user or nobody', async () => {
    const empty = await startSecretStore(TOKEN)
    const at = { connections: { db: turns.admin_url, vault: empty.url } }
    await expect(run('postgres.rotate', turn(), at)).rejects.toMatchObject({ code: 'role_refused' })
    await putSecret(empty.url, PATH, { username: turns.named('shop_a') })
    await turns.sql.unsafe(`grant pg_execute_server_program to ${turns.named('shop_b')}`)
    await expect(run('postgres.rotate', turn(), at)).rejects.toMatchObject({ code: 'role_refused' })
    await turns.sql.unsafe(`revoke pg_execute_server_program from ${turns.named('shop_b')}`)
    expect((await currentSecret(empty.url, PATH)).version).toBe(1)
    await empty.stop()
  })

  it('gives login and password to no group, whether it has members or cannot log in', async () => {
    const { sql, named } = turns
    const [group, member, other] = [named('shop_b'), named('shop_a'), named('eve')]
    const held = await startSecretStore(TOKEN)
    const at = { connections: { db: turns.admin_url, vault: held.url } }
    await putSecret(held.url, PATH, { username: member })
    const stored = async () => (await sql`select rolcanlogin, rolpassword from pg_authid where rolname = ${group}`)[0]
    const refused = async (message: string) => {
      const before = await stored()
      await expect(run('postgres.rotate', turn(), at)).rejects.toMatchObject({
        ...{ code: 'role_refused', message: expect.stringContaining(message) },
      })
      const operator = operatorOf('postgres.rotate')
      const simulated = await operator.simulate?.(contextOf(at), operator.parse({ connection: 'db', ...turn() }))
      expect(simulated).toMatchObject({ ok: false, summary: expect.stringContaining(message) })
      expect(await stored()).toEqual(before)
    }
    await sql.unsafe(`alter role ${group} nologin`)
    await refused('cannot log in')
    await sql.unsafe(`alter role ${group} login; create role ${other}; grant ${group} to ${other}`)
    await refused('it has other members')
    await sql.unsafe(`revoke ${group} from ${other}; drop role ${other}`)
    expect((await currentSecret(held.url, PATH)).version).toBe(1)
    await held.stop()
  })

  it('rotates a user that the user of the connection has made, and none that another role has made', async () => {
    const { sql, named } = turns
    const [made, creator] = [named('made'), named('creator')]
    const held = await startSecretStore(TOKEN)
    const at = { connections: { db: turns.admin_url, vault: held.url } }
    await putSecret(held.url, PATH, { username: named('shop_a') })
    const admin = signIn(turns.admin_url)
    await admin.unsafe(`create role ${made} login`)
    await admin.end({ timeout: 1 })
    // the creator of a role becomes a member of it, with ADMIN OPTION
    expect(await sql`select from pg_auth_members where roleid = ${made}::regrole and admin_option`).toHaveLength(1)
    expect(await run('postgres.rotate', turn({ user: made }), at)).toMatchObject({ user: made, version: 2 })
    await sql.unsafe(`drop role ${made}; create role ${creator} createrole`)
    await sql.unsafe(`set role ${creator}; create role ${made} login; reset role`)
    await sql.unsafe(`grant ${made} to ${new URL(turns.admin_url).username} with admin option`)
    await putSecret(held.url, PATH, { username: named('shop_a') })
    await expect(run('postgres.rotate', turn({ user: made }), at)).rejects.toMatchObject({ code: 'role_refused' })
    await sql.unsafe(`drop role ${made}; drop role ${creator}`)
    await held.stop()
  })

  it('takes a place that is one', () => {
    for (const path of ['../sys/policies', 'a//b', 'a/', '', 'a?b', 'a/../b'])
      expect(() =>
        operatorOf('postgres.rotate').parse({ connection: 'db', ...turn({ store: { ...place, path } }) }),
      ).toThrow(/path/)
  })
})

describe('postgres.rotate and postgres.retire with OpenBao', needs('openbao'), () => {
  takeTurns(() => openBao(programOf('openbao'), TOKEN))
})

function takeTurns(start: () => Promise<OpenSecretStore>): void {
  let store: OpenSecretStore
  beforeAll(async () => {
    turns = await createRoles(inject('postgres_url'), ['shop_a', 'shop_b'])
    store = await start()
  })
  afterAll(async () => {
    await store?.stop()
    await turns?.drop()
  })
  const rotate = (input: JsonObject, changes: Changes = {}) =>
    run('postgres.rotate', input, { connections: { db: turns.admin_url, vault: store.url }, ...changes })
  const retire = (user: string) =>
    run(
      'postgres.retire',
      { user: turns.named(user), store: place },
      { connections: { db: turns.admin_url, vault: store.url } },
    )
  const back = () => turn({ user: turns.named('shop_a'), in_use: turns.named('shop_b') })
  const works = async (name: string, password: string) => {
    const sql = signIn(turns.urlOf(name, password))
    const answer = await sql`select 1`.then(
      () => true,
      () => false,
    )
    await sql.end({ timeout: 1 })
    return answer
  }
  const sessionsOf = (name: string) => turns.sql`select pid from pg_stat_activity where usename = ${turns.named(name)}`

  it('make a password that only the store has, write it over what is there, and end the old one', async () => {
    const first = new URL(turns.urlOf('shop_a')).password
    await putSecret(store.url, PATH, { username: turns.named('shop_a'), password: first, host: 'db.test' })
    const simulated = await operatorOf('postgres.rotate').simulate?.(
      contextOf({ connections: { db: turns.admin_url, vault: store.url } }),
      operatorOf('postgres.rotate').parse({ connection: 'db', ...turn() }),
    )
    expect(simulated).toMatchObject({ ok: true, summary: expect.stringContaining('version 2 of the secret') })
    expect((await currentSecret(store.url, PATH)).version).toBe(1)
    await expect(retire('shop_a')).rejects.toMatchObject({ code: 'role_refused' })

    const logged: unknown[] = []
    const log = {
      info: (...line: unknown[]) => void logged.push(line),
      warn: (...line: unknown[]) => void logged.push(line),
      progress: (...line: unknown[]) => void logged.push(line),
    }
    const outputs = await rotate(turn(), { log })
    const { version, data: { password, ...rest } = {} } = await currentSecret(store.url, PATH)
    expect(version).toBe(2)
    expect(rest).toEqual({ username: turns.named('shop_b'), host: 'db.test', svc_step: 'run_1:act' })
    expect(outputs).toEqual({
      user: turns.named('shop_b'),
      version: 2,
      fingerprint: passwordFingerprint(String(password)),
    })
    expect(JSON.stringify([outputs, logged])).not.toContain(password)
    expect(await works('shop_b', String(password))).toBe(true)
    expect(await works('shop_a', first)).toBe(true)
    const [kept] = await turns.sql`select rolpassword from pg_authid where rolname = ${turns.named('shop_b')}`
    const salt = Buffer.from(String(kept?.['rolpassword']).split(/[:$]/)[2] ?? '', 'base64')
    expect(kept?.['rolpassword']).toBe(await scramVerifier(String(password), salt))

    // the same step again, as after a lost answer: what it has written stands
    expect(await rotate(turn(), { attempt: 2 })).toEqual(outputs)
    expect((await currentSecret(store.url, PATH)).version).toBe(2)
    // another run may not take the one in use
    await expect(rotate(turn(), { idempotency_key: 'run_2:act' })).rejects.toMatchObject({
      code: 'role_refused',
      message: expect.stringContaining('as the one in use'),
    })

    const pool = signIn(turns.urlOf('shop_a'))
    await pool`select 1`
    await expect(retire('shop_a')).rejects.toMatchObject({ message: expect.stringContaining('1 sessions') })
    await pool.end({ timeout: 1 })
    await expect.poll(() => sessionsOf('shop_a')).toEqual([])
    expect(await retire('shop_a')).toEqual({ retired: true })
    expect(await works('shop_a', first)).toBe(false)
    await expect(retire('shop_b')).rejects.toMatchObject({ code: 'role_refused' })
  })

  it('give the login back to a user that was retired, when its turn has come', async () => {
    const stored = async () => {
      const [row] = await turns.sql`
        select rolcanlogin, rolpassword is not null as has_password, rolvaliduntil::text as until
        from pg_authid where rolname = ${turns.named('shop_a')}`
      return row
    }
    expect(await stored()).toEqual({ rolcanlogin: false, has_password: false, until: '-infinity' })
    const outputs = await rotate(back(), { idempotency_key: 'run_5:act' })
    expect(outputs).toMatchObject({ user: turns.named('shop_a'), version: 3 })
    expect(await stored()).toEqual({ rolcanlogin: true, has_password: true, until: 'infinity' })
    const { data } = await currentSecret(store.url, PATH)
    expect(await works('shop_a', String(data?.['password']))).toBe(true)
    expect(await rotate(turn(), { idempotency_key: 'run_6:act' })).toMatchObject({ user: turns.named('shop_b') })
  })

  it('leave the store alone where the user is used, or the password does not open, or another wrote meanwhile', async () => {
    const again = { idempotency_key: 'run_3:act' }
    await turns.sql.unsafe(`alter role ${turns.named('shop_a')} login password 'other' valid until '2000-01-01'`)
    await expect(rotate(back(), again)).rejects.toMatchObject({ code: 'login_refused' })
    await turns.sql.unsafe(`alter role ${turns.named('shop_a')} password 'other' valid until 'infinity'`)
    const pool = signIn(turns.urlOf('shop_a', 'other'))
    await pool`select 1`
    await expect(rotate(back(), again)).rejects.toMatchObject({ message: expect.stringContaining('has 1 sessions') })
    await pool.end({ timeout: 1 })
    await expect.poll(() => sessionsOf('shop_a')).toEqual([])
    const beforeSending = () => putSecret(store.url, PATH, { username: turns.named('shop_b'), password: 'by another' })
    await expect(rotate(back(), { ...again, beforeSending })).rejects.toMatchObject({ code: 'conflict' })
    expect((await currentSecret(store.url, PATH)).data?.['password']).toBe('by another')
  })

  it('need a token', async () => {
    const wrong = { db: turns.admin_url, vault: store.url.replace(TOKEN, 'another') }
    await expect(rotate(back(), { connections: wrong })).rejects.toMatchObject({
      code: 'http_status',
      details: { status: 403 },
    })
  })
}

describe('a SCRAM verifier', () => {
  it('is the one of the standard', async () => {
    // the password, salt and iterations of a role that PostgreSQL 18 was given in clear
    const [made] = await roles.sql.begin(async (sql) => {
      await sql.unsafe(`set local password_encryption = 'scram-sha-256'`)
      await sql.unsafe(`create role scram_probe password 'pencil'`)
      const found = await sql`select rolpassword from pg_authid where rolname = 'scram_probe'`
      await sql.unsafe('drop role scram_probe')
      return found
    })
    const text = String(made?.['rolpassword'])
    expect(await scramVerifier('pencil', Buffer.from(text.split(/[:$]/)[2] ?? '', 'base64'))).toBe(text)
  })
})
