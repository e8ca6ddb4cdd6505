import { describe, expect, it } from 'vitest'
import { createLoginLimits, createRateLimit } from '#api/rate-limit.ts'
import { routes } from '#api/registry.ts'
import { createIds } from '#platform/ids.ts'
import { createRefusalCounter } from '#services/refusals/count-refusals.ts'
import { reportRefusals } from '#services/refusals/record-refusals.ts'
import { createRefusals } from '#store/audit/refusals.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testApi } from '#test/support/api-client.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createIngressApi, post as deliver, deployment } from '../support/ingress.ts'
import { addUser, bearer, PASSWORD } from '../support/users.ts'

interface Refused {
  channel: string
  category: string
  workspace_id: string
  actor: { type: string; id: string; auth: string }
  subject: { type: string; id: string }
  data: { code: string; why?: string; operation: string; method: string; route: string | null; times: number }
}

const MASTER = { 'content-type': 'application/json' }
const OTHER = 'ws_0000000000000000000000000f'
/** Every route that writes and asks who is there. */
const WRITES = routes.filter(({ method, auth }) => method !== 'get' && auth !== 'public')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)

async function refusals(actor: string, action = 'request.refused'): Promise<Refused[]> {
  const rows = await database.db<{ draft: Refused }[]>`
    select draft from audit_outbox where draft ->> 'action' = ${action} and draft #>> '{actor,id}' = ${actor} order by id`
  return rows.map(({ draft }) => draft)
}

const send = (path: string, method: string, headers: Record<string, string>, body = '{}') =>
  api.app.request(path, { method, headers: { ...MASTER, ...headers }, body })

const pathOf = (pattern: string) => pattern.replace(/\{[^}]+\}/g, 'x')

describe('a refused write is on record', () => {
  it('by whom and at which operation, for every route that writes and anyone who lacks the role', async () => {
    const nobody = await addUser(api.deps, { roles: ['auditor'] })
    const headers = await bearer(api.deps, nobody)
    const asked = WRITES.filter(({ auth }) => auth !== 'signature' && auth !== 'user')
    for (const { method, path } of asked)
      expect((await send(pathOf(path), method.toUpperCase(), headers)).status, `${method} ${path}`).toBe(403)
    const reported = await refusals(nobody.id)
    expect(reported.map(({ data }) => [data.operation, data.code, data.times])).toEqual(
      asked.map(({ operationId }) => [operationId, 'forbidden', 1]),
    )
    expect(reported[0]).toMatchObject({
      category: 'auth',
      actor: { type: 'user', auth: 'jwt' },
      subject: { type: 'operation' },
    })
  })

  it('of nobody who is known as of one caller, no matter what they call themselves', async () => {
    for (const { method, path } of WRITES) await send(pathOf(path), method.toUpperCase(), {})
    for (let n = 0; n < 50; n += 1)
      await send('/triggers/manual', 'POST', { authorization: `Bearer forged.${n}.x`, 'x-svc-workspace': `ws_${n}` })
    const reported = await refusals('anonymous')
    const operations = reported.filter(({ data }) => data.code === 'unauthenticated').map(({ data }) => data.operation)
    expect(new Set(operations).size).toBe(operations.length)
    expect(operations).toEqual(expect.arrayContaining(['resumeRun', 'cancelRun', 'startManually', 'inviteUser']))
    expect(reported.length).toBeLessThanOrEqual(WRITES.length * 2)
  })

  it('in a workspace that the caller may not enter, and the answer says nothing of it', async () => {
    const user = await addUser(api.deps, { roles: ['operator'] })
    const headers = { ...(await bearer(api.deps, user)), 'x-svc-workspace': OTHER }
    const [foreign, unknown] = await Promise.all(
      [OTHER, 'ws_0000000000000000000000000z'].map((id) =>
        send('/triggers/manual', 'POST', { ...headers, 'x-svc-workspace': id }),
      ),
    )
    const texts = await Promise.all(
      [foreign, unknown].map(async (answer) => ({ ...((await answer?.json()) as object), request_id: '' })),
    )
    expect(texts[0]).toEqual(texts[1])
    expect(await refusals(user.id)).toMatchObject([{ data: { code: 'not_found', why: 'foreign_workspace' } }])
  })

  it('over a workspace that the caller may not enter: a halt, and the answer says nothing of it', async () => {
    const user = await addUser(api.deps, { roles: ['admin'] })
    const body = JSON.stringify({ scope: { workspace: OTHER }, reason: 'stop' })
    const answer = await send('/console/api/halts', 'POST', await bearer(api.deps, user), body)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('refused')
    expect(await refusals(user.id)).toMatchObject([
      { category: 'auth', data: { code: 'not_found', why: 'foreign_workspace', method: 'POST' } },
    ])
  })

  it('under the channel that its credential was issued to, also where no workspace was entered', async () => {
    const user = await addUser(api.deps, { roles: ['viewer'] })
    const clients = ['svc-cli', 'svc-console', undefined]
    for (const [n, client] of clients.entries()) {
      const path = ['/triggers/manual', '/console/api/halts', '/admin/users'][n] ?? ''
      expect((await send(path, 'POST', await bearer(api.deps, user, client))).status).toBe(403)
    }
    const channels = (await refusals(user.id)).map(({ channel }) => channel)
    expect(channels).toEqual(['cli', 'console', 'api'])
    const headers = { ...(await bearer(api.deps, user, 'svc-cli')), 'x-svc-workspace': OTHER }
    const operator = await addUser(api.deps, { roles: ['operator'] })
    await send('/triggers/manual', 'POST', { ...headers, ...(await bearer(api.deps, operator, 'svc-cli')) })
    expect(await refusals(operator.id)).toMatchObject([{ channel: 'cli', data: { why: 'foreign_workspace' } }])
  })

  it('by rate, told at once and then as a number', async () => {
    const limiter = api.deps.limiter
    api.deps.limiter = createRateLimit(1)
    const user = await addUser(api.deps, { roles: ['operator'] })
    const headers = await bearer(api.deps, user)
    const statuses = new Set<number>()
    for (let n = 0; n < 12; n += 1)
      statuses.add((await send('/packs/incident/service-recovery/run', 'POST', headers)).status)
    api.deps.limiter = limiter
    expect(statuses).toContain(429)
    expect(await refusals(user.id)).toMatchObject([
      { data: { code: 'rate_limited', operation: 'runTemplate', times: 1 } },
    ])
    await api.deps.refusals.flush()
    await database.db`update refusals set reported_at = reported_at - interval '61 seconds' where who = ${user.id}`
    await report()
    await report()
    const times = (await refusals(user.id)).map(({ data }) => data.times)
    expect(times).toHaveLength(2)
    expect(times[1]).toBeGreaterThanOrEqual(5)
  })

  it('of a page of another origin, where nobody signs in', async () => {
    const answer = await open.post('/triggers/manual', {}, { origin: 'https://evil.example' })
    expect(answer.status).toBe(403)
    expect((await refusals('anonymous')).at(-1)).toMatchObject({
      data: { code: 'forbidden', why: 'foreign_origin', operation: 'none', method: 'POST' },
    })
  })

  it('of a delivery whose signature does not hold, under the ingress that it was sent to', async () => {
    const ingress = await createIngressApi(database)
    const secret = 'hidden in the body 4711'
    for (let n = 0; n < 5; n += 1)
      await deliver(ingress, deployment({ service: secret }), { headers: { 'X-Hub-Signature-256': `sha256=${n}` } })
    const reported = (await refusals('anonymous')).filter(({ subject }) => subject.type === 'ingress')
    expect(reported).toMatchObject([
      { subject: { id: 'sre/github-deployments' }, data: { code: 'unauthenticated', times: 1 } },
    ])
    const [row] = await database.db<
      { refused: number }[]
    >`select refused::int from refusals where subject_id = 'sre/github-deployments'`
    expect(row).toEqual({ refused: 1 })
    await ingress.close()
    expect(
      await database.db`select refused::int from refusals where subject_id = 'sre/github-deployments'`,
    ).toMatchObject([{ refused: 5 }])
    const [leaked] = await database.db`select 1 from audit_outbox where draft::text like ${`%${secret}%`}`
    expect(leaked).toBeUndefined()
  })

  it('once, and not a second time where its verb has put it on record', async () => {
    const user = await addUser(api.deps)
    await api.signIn({ username: user.email, password: 'not the password of it' })
    const [row] = await database.db<{ reported: number }[]>`
      select count(*)::int as reported from audit_outbox where draft ->> 'action' = 'request.refused' and draft #>> '{data,operation}' = 'issueToken'`
    expect(row).toEqual({ reported: 0 })
    expect((await api.audited(user)).at(-1)).toMatchObject({ action: 'token.refused' })
    expect(JSON.stringify(await api.audited(user))).not.toContain(PASSWORD)
  })

  it('of a sign-in as of one caller for all who are unknown, no matter what they call themselves', async () => {
    const known = await addUser(api.deps)
    const reported = async () =>
      (await refusals('anonymous', 'token.refused')).map(({ subject, data }) => [subject.id, data.times])
    const before = (await reported()).length
    for (let n = 0; n < 12; n += 1) {
      api.deps.logins = createLoginLimits()
      const username = n % 3 === 0 ? known.email : `nobody-${n}@example.test`
      expect((await api.signIn({ username, password: 'nope nope nope' })).status).toBe(400)
    }
    expect((await reported()).slice(before)).toEqual([
      [known.id, 1],
      ['unknown', 1],
    ])
    await api.deps.refusals.flush()
    const counted = await database.db`
      select subject_id, refused::int from refusals
      where action = 'token.refused' and subject_id in ('unknown', ${known.id}) order by refused`
    expect(counted).toMatchObject([{ refused: 4 }, { refused: 8 }])
  })

  it('is not what only cannot be done, nor what only reads', async () => {
    const user = await addUser(api.deps, { roles: ['operator'] })
    const headers = await bearer(api.deps, user)
    expect((await send('/runs/run_00000000000000000000000000/cancel', 'POST', headers)).status).toBe(404)
    expect((await send('/triggers/manual', 'POST', headers, '{"pack":1}')).status).toBe(422)
    expect((await api.get('/admin/users', headers)).status).toBe(403)
    expect(await refusals(user.id)).toEqual([])
  })
})

describe('a flood of refusals', () => {
  const of = (n: number) => ({
    kind: 'forbidden',
    draft: {
      category: 'auth' as const,
      action: 'request.refused',
      workspace_id: 'ws_00000000000000000000000000',
      actor: { type: 'user' as const, id: `usr_flood_${n}`, auth: 'jwt' as const },
      subject: { type: 'operation', id: 'flood' },
      data: { code: 'forbidden' },
    },
  })
  const log = { warn: () => undefined }

  it('fills neither the chain nor the memory, and none of it is lost', async () => {
    const statements: number[] = []
    const runs = createRunStore(database.db)
    const counting = {
      appendRefusals: (all: Parameters<typeof runs.appendRefusals>[0]) => {
        statements.push(all.length)
        return runs.appendRefusals(all)
      },
    }
    const counter = createRefusalCounter({ runs: counting, ids: createIds(), clock: Date.now, log, max_kinds: 10 })
    for (let n = 0; n < 10_000; n += 1) await counter.record(of(0))
    expect(statements).toEqual([1])
    for (let n = 0; n < 100; n += 1) await counter.record(of(n))
    await counter.close()
    const [row] = await database.db<{ refused: number; reported: number }[]>`
      select sum(refused)::int as refused, (select count(*)::int from audit_outbox where draft #>> '{subject,id}' = 'flood') as reported
      from refusals where subject_id = 'flood'`
    expect(row).toEqual({ refused: 10_100, reported: 100 })
  })

  it('is refused all the same while the record is not to be reached, and counted until it is', async () => {
    let away = true
    const runs = createRunStore(database.db)
    const failing = {
      appendRefusals: (all: Parameters<typeof runs.appendRefusals>[0]) =>
        away ? Promise.reject(new Error('no database')) : runs.appendRefusals(all),
    }
    const counter = createRefusalCounter({ runs: failing, ids: createIds(), clock: Date.now, log })
    for (let n = 0; n < 5; n += 1) await counter.record(of(1_000))
    await counter.flush()
    away = false
    await counter.close()
    expect(await database.db`select refused::int from refusals where who = 'usr_flood_1000'`).toMatchObject([
      { refused: 5 },
    ])
  })

  it('is written in the order of its keys, so that two batches never wait for each other', async () => {
    const { draft } = of(3_000)
    const entry = (subject_id: string, drafted: string) => ({
      kind: 'forbidden',
      more: 1,
      subject_id,
      draft: {
        ...draft,
        id: createIds().next('audit'),
        ts: '2026-01-01T00:00:00.000Z',
        subject: { type: 'x', id: drafted },
      },
    })
    const runs = createRunStore(database.db)
    await runs.appendRefusals([entry('key-a', 'z'), entry('key-b', 'y')])
    const lockedInOrder = await database.db.begin(async (holder) => {
      await holder`select 1 from refusals where subject_id = 'key-b' for update`
      const writing = runs.appendRefusals([entry('key-a', 'z'), entry('key-b', 'y')])
      await expect
        .poll(async () => {
          const [row] = await database.db<{ waits: boolean }[]>`
            select exists (select from pg_stat_activity
              where wait_event_type = 'Lock' and query like '%record_refusals%' and datname = current_database()) as waits`
          return row?.waits
        })
        .toBe(true)
      const free = await holder`select 1 from refusals where subject_id = 'key-a' for update skip locked`
      return { free: free.length, writing }
    })
    await lockedInOrder.writing
    expect(lockedInOrder.free).toBe(0)
  })

  it('of two processes is one number', async () => {
    const counters = [0, 1].map(() =>
      createRefusalCounter({ runs: createRunStore(database.db), ids: createIds(), clock: Date.now, log }),
    )
    await Promise.all(Array.from({ length: 200 }, (_, n) => counters[n % 2]?.record(of(2_000))))
    for (const each of counters) await each.close()
    expect(await refusals('usr_flood_2000')).toHaveLength(1)
    expect(await database.db`select refused::int from refusals where who = 'usr_flood_2000'`).toMatchObject([
      { refused: 200 },
    ])
  })
})

const report = () =>
  reportRefusals({
    refusals: createRefusals(database.db),
    runs: createRunStore(database.db),
    ids: createIds(),
    clock: Date.now,
  })
