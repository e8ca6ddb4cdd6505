import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AuditRecordShown } from '#core/audit/record-schema.ts'
import type { AuditRecord } from '#core/audit/types.ts'
import { withPeople } from '#services/audit/named-people.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { createPeople } from '#services/auth/create-people.ts'
import { createDb } from '#store/db.ts'
import { createUserStore } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { recordSql } from '#test/support/sql-recorder.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('listAudit')
itRefuses('listAudit', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const OTHER = 'ws_0000000000000000000000000b'
const HOME = 'ws_00000000000000000000000000'
const PATH = '/console/api/audit'

const draft = (n: number, more: object = {}) => ({
  id: `aud_${n}`,
  ts: `2026-01-05T09:00:${String(n).padStart(2, '0')}.000Z`,
  category: 'approval',
  action: 'gate.decided',
  workspace_id: HOME,
  actor: { type: 'user', id: 'usr_a', auth: 'jwt' },
  subject: { type: 'gate', id: `gate_${n}` },
  data: { z: 1, a: ['ü', 0.1], decision: 'approve' },
  ...more,
})

const database = testDatabase()
const api = testApi(database)
const authed = testApi(database, { secret: SECRET })
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'other')
  await chainWaiting(database.db)
  const home = (await database.db<{ id: string }[]>`select id from workspaces where slug = 'default'`)[0]?.id ?? HOME
  const drafts = [
    draft(1, { workspace_id: home }),
    draft(2, { workspace_id: OTHER, actor: { type: 'user', id: 'usr_theirs', auth: 'jwt' } }),
    draft(3, { workspace_id: home, category: 'admin', subject: { type: 'gate', id: '=cmd|"calc",\nx' } }),
    draft(4, {
      workspace_id: home,
      actor: { type: 'user', id: 'usr_b', auth: 'jwt' },
      run_id: `run_${'0'.repeat(26)}`,
    }),
    draft(5, { workspace_id: home, action: '=HYPERLINK("x")' }),
  ]
  for (const each of drafts) await database.db`insert into audit_outbox (draft) values (${database.db.json(each)})`
  await chainWaiting(database.db)
  await database.db`insert into audit_outbox (draft) values (${database.db.json(draft(6, { workspace_id: home }))})`
})

const parse = async (answer: Response) => z.array(AuditRecordShown).parse(await answer.json())
const list = async (query: string, headers: Record<string, string> = {}) =>
  (await parse(await api.get(`${PATH}?from=2026-01-05T09:00:00Z&to=2026-01-06T00:00:00Z&${query}`, headers))).map(
    ({ event }) => event.id,
  )

describe('GET /console/api/audit', () => {
  it('gives the records of the workspace so that anybody can compute their hashes again', async () => {
    const records = await parse(await api.get(PATH))
    expect(records.length).toBeGreaterThanOrEqual(4)
    for (const { seq, hash, prev_hash, event } of records) {
      const text = prev_hash + canonicalize(event)
      expect(createHash('sha256').update(text).digest('hex')).toBe(hash)
      expect(event.seq).toBe(seq)
    }
    expect(JSON.stringify(records)).not.toContain('usr_theirs')
  })

  it.each([
    ['', ['aud_5', 'aud_4', 'aud_3', 'aud_1']],
    ['category=admin', ['aud_3']],
    ['actor=usr_b', ['aud_4']],
    [`run_id=run_${'0'.repeat(26)}`, ['aud_4']],
    ['actor=usr_theirs', []],
  ])('narrows by %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected)
  })

  it('narrows by time, no matter what its zone, and belongs to the workspace that is asked', async () => {
    const at = encodeURIComponent('2026-01-05T10:00:03+01:00')
    expect((await parse(await api.get(`${PATH}?from=${at}`))).map(({ event }) => event.id)).toContain('aud_3')
    expect((await parse(await api.get(`${PATH}?to=${at}`))).map(({ event }) => event.id)).toEqual(['aud_1'])
    expect(await list('', { 'x-svc-workspace': OTHER })).toEqual(['aud_2'])
  })

  it('goes on where a page ended, and refuses a cursor of somebody else', async () => {
    const first = await api.get(`${PATH}?limit=3&actor=usr_a`)
    expect(first.headers.get('x-total-count')).toBe('3')
    const two = await api.get(`${PATH}?limit=2&actor=usr_a`)
    const next = /<([^>]+)>; rel="next"/.exec(two.headers.get('link') ?? '')?.[1] ?? ''
    const ids = [...(await parse(two)), ...(await parse(await api.get(next)))].map(({ event }) => event.id)
    expect(ids).toEqual(['aud_5', 'aud_3', 'aud_1'])
    expect((await api.get(`${PATH}?cursor=nonsense`)).status).toBe(400)
  })

  it('streams CSV in which no cell is a formula', async () => {
    const answer = await api.get(`${PATH}?format=csv&from=2026-01-05T09:00:00Z&to=2026-01-06T00:00:00Z`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const text = await answer.text()
    expect(text.split('\r\n')[0]).toBe(
      'seq,ts,category,action,actor,channel,workspace,run_id,subject,summary,prev_hash,hash,actor_name,actor_email,about,note',
    )
    expect(text).toContain(`,"'=HYPERLINK(""x"")",`)
    expect(text).toContain('"gate =cmd|""calc"",\nx"')
    expect(text).not.toMatch(/(^|,)"?[=+@]/m)
    expect(text.match(/\r\n/g)).toHaveLength(5)
  })

  it('finds a person by mail address, in JSON and in CSV, and nothing for an address of nobody', async () => {
    const ann = await addUser(authed.deps, { email: 'ann.audit@example.test' })
    const actor = { type: 'user', id: ann.id, auth: 'jwt' }
    await database.db`insert into audit_outbox (draft) values (${database.db.json(draft(7, { actor }))})`
    await chainWaiting(database.db)
    const headers = await bearer(authed.deps, ann)
    const of = async (mail: string) =>
      (await parse(await authed.get(`${PATH}?actor=${encodeURIComponent(mail)}`, headers))).map(({ event }) => event.id)
    expect(await of('Ann.Audit@example.test')).toEqual(['aud_7'])
    expect(await of('nobody@example.test')).toEqual([])
    const csv = await (await authed.get(`${PATH}?format=csv&actor=${ann.email}`, headers)).text()
    expect(csv.trim().split('\r\n')).toHaveLength(2)
    const auditor = await bearer(authed.deps, await addUser(authed.deps, { roles: ['auditor'] }))
    const named = await (await authed.get(`${PATH}?format=csv&actor=${ann.email}`, auditor)).text()
    expect(named).toContain(`,user:${ann.id},`)
    expect(named).toContain(`,${ann.email},`)
    expect(csv).not.toContain(`,${ann.email},`)
  })

  it('finds everybody of the workspace whose name, address or id has the text, by an address only whole without the right to see it', async () => {
    const named = (n: number, more: object) =>
      addUser(authed.deps, { email: `finder${n}.audit@example.test`, display_name: 'Zoë Finder', ...more })
    const [one, two, far, nameless] = await Promise.all([
      named(1, { roles: ['auditor'] }),
      named(2, { roles: ['viewer'] }),
      named(3, { workspaces: [OTHER] }),
      named(4, { display_name: null }),
    ])
    const link = { type: 'user', id: nameless.email, auth: 'magic_link' }
    const by = [one, two, far, nameless].map(({ id }, n) => draft(31 + n, { actor: { type: 'user', id, auth: 'jwt' } }))
    for (const each of [...by, draft(35, { actor: link })])
      await database.db`insert into audit_outbox (draft) values (${database.db.json(each)})`
    await chainWaiting(database.db)
    const of = async (who: typeof one, actor: string) =>
      (await parse(await authed.get(`${PATH}?actor=${encodeURIComponent(actor)}`, await bearer(authed.deps, who)))).map(
        ({ event }) => event.id,
      )
    expect(await of(one, 'zOë f')).toEqual(['aud_32', 'aud_31'])
    expect(await of(one, 'FINDER2.audit')).toEqual(['aud_32'])
    expect(await of(one, two.id.slice(10))).toEqual(['aud_32'])
    expect(await of(one, nameless.email)).toEqual(['aud_35', 'aud_34'])
    expect(await of(one, 'finder3')).toEqual([])
    expect(await of(two, 'finder')).toEqual(['aud_32', 'aud_31'])
    expect(await of(two, 'finder4.audit')).toEqual([])
    expect(await of(two, '_%')).toEqual([])
    const csv = await authed.get(`${PATH}?format=csv&actor=finder`, await bearer(authed.deps, two))
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(3)
  })

  it('names the people of a record who are of the workspace, by name and for auditors by address', async () => {
    const names = ['bea', 'eve', 'vic', 'far'].map((name) => `${name}.audit@example.test`)
    const [bea, eve, vic, far] = await Promise.all([
      addUser(authed.deps, { email: names[0] ?? '', display_name: 'Bea' }),
      addUser(authed.deps, { email: names[1] ?? '', roles: ['auditor'] }),
      addUser(authed.deps, { email: names[2] ?? '' }),
      addUser(authed.deps, { email: names[3] ?? '', display_name: 'Far', workspaces: [OTHER] }),
    ])
    const naming = draft(8, { actor: { type: 'user', id: bea.id, auth: 'jwt' }, data: { voters: [far.id, vic.id] } })
    await database.db`insert into audit_outbox (draft) values (${database.db.json(naming)})`
    await chainWaiting(database.db)
    const of = async (who: Awaited<ReturnType<typeof addUser>>) =>
      (await parse(await authed.get(`${PATH}?actor=${bea.id}`, await bearer(authed.deps, who))))[0]
    const seen = await of(eve)
    expect(seen?.people).toEqual([
      { id: bea.id, display: 'Bea', email: bea.email },
      { id: vic.id, display: vic.email, email: vic.email },
    ])
    expect(
      createHash('sha256')
        .update(`${seen?.prev_hash}${canonicalize(seen?.event)}`)
        .digest('hex'),
    ).toBe(seen?.hash)
    expect((await of(vic))?.people).toEqual([
      { id: bea.id, display: 'Bea' },
      { id: vic.id, display: vic.id },
    ])
  })

  it('says what the run of a record is about, and with `people` leaves out what machines did', async () => {
    const run_id = await admitTestRun(authed, { reason: 'checkout answers 503\u202e' })
    const robot = { type: 'service', id: `usr_${'7'.repeat(26)}`, auth: 'api_key' }
    const svc = { type: 'system', id: 'svc', auth: 'none' }
    const holder = { type: 'user', id: 'ops@example.test', auth: 'magic_link' }
    const others = [robot, svc, holder].map((actor, n) => draft(21 + n, { run_id, actor }))
    for (const each of [draft(20, { run_id }), ...others])
      await database.db`insert into audit_outbox (draft) values (${database.db.json(each)})`
    await chainWaiting(database.db)
    const headers = await bearer(authed.deps, await addUser(authed.deps))
    const of = async (query: string) =>
      (await parse(await authed.get(`${PATH}?run_id=${run_id}&category=approval&${query}`, headers))).map(
        ({ event, about }) => [event.id, about],
      )
    const about = 'checkout answers 503\\u{202e}'
    expect(await of('people=true')).toEqual([23, 20].map((n) => [`aud_${n}`, about]))
    expect(await of('people=false')).toEqual([23, 22, 21, 20].map((n) => [`aud_${n}`, about]))
    const csv = await (
      await authed.get(`${PATH}?format=csv&run_id=${run_id}&people=true&category=approval`, headers)
    ).text()
    expect(csv.trim().split('\r\n')).toHaveLength(3)
  })

  it('a record that names a thousand people costs one read of people', async () => {
    const bea = await addUser(authed.deps, { display_name: 'Bea' })
    const ids = Array.from({ length: 1_000 }, (_, n) => `usr_${String(n).padStart(26, '0')}`)
    const naming = draft(9, { actor: { type: 'user', id: bea.id, auth: 'jwt' }, data: { text: ids.join(' ') } })
    const record = { seq: 9, hash: '', prev_hash: '', event: { ...naming, seq: 9, v: 1 } } as AuditRecord
    const sent = await recordSql(database.url)
    const db = createDb(sent.url)
    const people = createPeople(createUserStore(db))
    const [named] = await withPeople({ people, actor: LOCAL_ACTOR, workspace_id: HOME }, [record])
    await db.end()
    await sent.stop()
    expect(named?.people).toEqual([{ id: bea.id, display: 'Bea', email: bea.email }])
    expect(sent.statements.filter(({ sql }) => / from users\b/.test(sql))).toHaveLength(1)
  })
})
