import { beforeAll, describe, expect, it, test } from 'vitest'
import { routes } from '#api/registry.ts'
import type { ErrorCode } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Db } from '#store/db.ts'
import { auditOf } from '#test/support/authoring.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn, type Prepare, unreadable } from '#test/support/refused-operation.ts'
import { AUTHORED_FAMILIES } from '#test/support/route-files.ts'

type Refusal = [status: number, code: ErrorCode, prepare: Prepare<GuardWorld>]

interface Kind {
  one: string
  all: string
  path: string
  table: string
  /** what an audit record calls it, and how its action begins */
  subject(key: string): string
  action: string
  draft(name: string): object
  /** what takes the place of the draft */
  edit(name: string): object
  fill(db: Db): Promise<unknown>
  limit: string
  gone: 200 | 204
  refusals?: Partial<Record<'create' | 'get' | 'update' | 'delete', Refusal[]>>
}

interface Shown {
  id?: string
  name: string
  digest: string
  author: string
  etag: string
}

const AT_HOME = `console/${DEFAULT_WORKSPACE_ID}`
const RULE = { on: 'alert', match: { service: 'nothing-of-this-name' }, run: 'incident/service-recovery' }
const OF = { pack: 'incident', template: 'service-recovery' }
const GOVERNS = { inputs: {}, environment: 'production' }

const fillDocuments = (kind: string, workspace: string, document: string) => (db: Db) =>
  db`
  insert into console_documents (kind, workspace_id, name, document, author)
  select ${kind}, ${workspace}, 'filler-' || n, 'name: filler-' || n || ${document}, 'usr_filler' from generate_series(1, 200) n`

const setting = (one: string): Kind => ({
  one,
  all: `${one}s`,
  path: `/ui/api/${one.toLowerCase()}s`,
  table: 'console_documents',
  subject: (name) => `console/${one.toLowerCase()}s/${name}`,
  action: one.toLowerCase(),
  draft: (name) => ({ name }),
  edit: (name) => (one === 'Profile' ? { name, require_plan_hash: true } : { name, approval: { min_approvals: 2 } }),
  fill: fillDocuments(one.toLowerCase(), '*', ''),
  limit: `200 ${one.toLowerCase()}s`,
  gone: 200,
  refusals: { get: [[409, 'conflict', unreadable]] },
})

const preset = (one: string): Kind => ({
  one: `${one}Preset`,
  all: `${one}Presets`,
  path: `/console/api/${one.toLowerCase()}-presets`,
  table: 'presets',
  subject: (id) => id,
  action: 'preset',
  draft: (name) => ({ ...OF, name, values: { inputs: { url: 'a' } } }),
  edit: () => ({ values: { inputs: { url: 'b' } } }),
  fill: (db) => db`
    insert into presets (id, workspace_id, kind, pack, template, name, inputs, author)
    select 'pre_' || n, ${DEFAULT_WORKSPACE_ID}, ${one.toLowerCase()}, 'a', 'b', n::text, '{}', 'usr_filler'
    from generate_series(1, 200) n`,
  limit: `200 ${one.toLowerCase()} presets`,
  gone: 204,
  refusals: {
    create: [
      [404, 'not_found', likeItsExample({ body: { ...OF, template: 'gone', name: 'x', values: { inputs: {} } } })],
      [403, 'governance_knob', likeItsExample({ body: { ...OF, name: 'x', values: GOVERNS } })],
    ],
    update: [[403, 'governance_knob', likeItsExample({ body: { values: GOVERNS } })]],
  },
})

const API = { base_url: 'https://api.example.com/v1/' }

/** No key seals secrets. */
const withoutKeys: Prepare<GuardWorld> = async (world, route) => {
  const { connection_ports: ports } = world.api.deps.authoring
  const { box } = ports
  const request = await likeItsExample({})(world, route)
  return async () => {
    ports.box = undefined
    try {
      return await request()
    } finally {
      ports.box = box
    }
  }
}

const KINDS: Kind[] = [
  {
    one: 'ConsolePolicy',
    all: 'ConsolePolicies',
    path: '/ui/api/policies',
    table: 'console_policies',
    subject: (name) => `${AT_HOME}/${name}`,
    action: 'policy',
    draft: (name) => ({ name, rules: [{ effect: 'deny' }] }),
    edit: (name) => ({ name, rules: [{ effect: 'deny', reason: 'not at night' }] }),
    fill: (db) => db`
      insert into console_policies (workspace_id, name, document, author)
      select ${DEFAULT_WORKSPACE_ID}, 'filler-' || n, 'name: filler-' || n || ', rules: []', 'usr_filler'
      from generate_series(1, 200) n`,
    limit: '200 policies',
    gone: 200,
  },
  {
    one: 'ConsoleTrigger',
    all: 'ConsoleTriggers',
    path: '/ui/api/triggers',
    table: 'console_documents',
    subject: (name) => `${AT_HOME}/rules/${name}`,
    action: 'rule',
    draft: (name) => ({ name, ...RULE }),
    edit: (name) => ({ name, ...RULE, description: 'another' }),
    fill: fillDocuments('rule', DEFAULT_WORKSPACE_ID, ''),
    limit: '200 rules',
    gone: 204,
  },
  setting('Environment'),
  setting('Profile'),
  preset('Config'),
  preset('Input'),
  {
    one: 'Connection',
    all: 'Connections',
    path: '/ui/api/connections',
    table: 'connections',
    subject: (id) => id,
    action: 'connection',
    draft: (name) => ({ name, kind: 'http', config: API, secret: 'opensesame' }),
    edit: () => ({ workspaces: ['*'] }),
    fill: (db) => db`
      insert into connections (id, account_id, name, kind, auth, config, workspaces, created_by, author)
      select 'conn_' || lpad(n::text, 26, '0'), 'acc_local', 'filler-' || n, 'http', 'none', '{}', '{default}', 'usr_filler', 'usr_filler'
      from generate_series(1, 200) n`,
    limit: '200 connections',
    gone: 204,
    refusals: {
      create: [
        [422, 'secret_required', likeItsExample({ body: { name: 'x', kind: 'http', config: API } })],
        [501, 'not_configured', withoutKeys],
      ],
      update: [
        [422, 'secret_required', likeItsExample({ body: { config: { base_url: 'https://evil.example.com/' } } })],
        [501, 'not_configured', withoutKeys],
      ],
    },
  },
]

/** Asked for twice: the second time its name is taken. */
const twice: Prepare<GuardWorld> = async (world, route) => {
  const request = await likeItsExample({})(world, route)
  await request()
  return request
}

test('the table has every family of routes', () => {
  const listed = KINDS.map(({ one, all }) => [`list${all}`, `create${one}`])
  expect(listed).toEqual(expect.arrayContaining(AUTHORED_FAMILIES.map(({ operations }) => operations.slice(0, 2))))
  expect(listed).toHaveLength(AUTHORED_FAMILIES.length)
})

for (const { operations } of AUTHORED_FAMILIES) for (const operation of operations) itIsGuarded(operation)

for (const { one, all, table, refusals = {} } of KINDS) {
  const stale = likeItsExample({ headers: { 'if-match': '"another"' } })
  const change: Refusal[] = [
    [412, 'version_conflict', stale],
    [409, 'conflict', overtakenIn(table)],
  ]
  const refused: Record<string, Refusal[]> = {
    [`list${all}`]: [],
    [`create${one}`]: [[409, 'conflict', twice], ...(refusals.create ?? [])],
    [`get${one}`]: refusals.get ?? [],
    [`update${one}`]: [...change, ...(refusals.update ?? [])],
    [`delete${one}`]: [...change, ...(refusals.delete ?? [])],
  }
  for (const [operation, rows] of Object.entries(refused)) if (rows.length > 0) itRefuses(operation, sharedWorld, rows)

  test(`every refusal that the operations on ${all} declare is shown above`, () => {
    for (const { operationId, problems } of routes.filter((route) => Object.hasOwn(refused, route.operationId)))
      expect([operationId, refused[operationId]?.map(([, code]) => code).sort()]).toEqual([
        ...[operationId, [...problems].sort()],
      ])
  })
}

describe.each(KINDS)('$all', (kind) => {
  const { path, action } = kind
  let owner: Record<string, string>

  const world = guardWorld()
  beforeAll(async () => {
    owner = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  })

  const send = (method: string, at: string, body?: object, headers: Record<string, string> = {}) =>
    world.api.app.request(`${path}${at}`, {
      method,
      headers: { ...owner, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const update = ['presets', 'connections'].includes(kind.table) ? 'PATCH' : 'PUT'
  const keyOf = ({ id, name }: Shown) => id ?? name
  async function make() {
    const name = world.name('authored')
    const answer = await send('POST', '', kind.draft(name))
    const shown = (await answer.json()) as Shown
    return {
      answer,
      name,
      shown,
      at: `/${keyOf(shown)}`,
      records: () => auditOf(world.api, kind.subject(keyOf(shown))),
    }
  }

  it('is made at its address and with its entity tag, on record with its author and its digest', async () => {
    const { answer, name, shown, at, records } = await make()
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${path}${at}`])
    expect(shown).toMatchObject({ name, author: expect.stringMatching(/^usr_/) })
    const read = await send('GET', at)
    expect([answer, read].map(({ headers }) => headers.get('etag'))).toEqual([shown.etag, shown.etag])
    expect(await read.json()).toMatchObject({ name, digest: shown.digest, author: shown.author })
    expect(await records()).toMatchObject([
      {
        action: `${action}.created`,
        category: 'config',
        actor: { type: 'user', id: shown.author, auth: 'jwt' },
        data: { before: null, after: shown.digest, author: shown.author, layer: 'console' },
      },
    ])
  })

  it('is listed, with how many there are', async () => {
    const { name } = await make()
    const answer = await send('GET', '')
    const list = (await answer.json()) as Shown[]
    expect(list.map((each) => each.name)).toContain(name)
    expect(answer.headers.get('x-total-count')).toBe(String(list.length))
  })

  it('is changed as it was read, and both digests are on record', async () => {
    const { name, shown, at, records } = await make()
    const answer = await send(update, at, kind.edit(name), { 'if-match': shown.etag })
    const changed = (await answer.json()) as Shown
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, changed.etag])
    expect(changed.etag).not.toBe(shown.etag)
    const late = await send(update, at, kind.edit(name), { 'if-match': shown.etag })
    expect([late.status, await late.json()]).toMatchObject([412, { code: 'version_conflict', etag: changed.etag }])
    expect(await records()).toMatchObject([
      { action: `${action}.created` },
      { action: `${action}.updated`, data: { before: shown.digest, after: changed.digest } },
    ])
  })

  it('lets one of several writers win', async () => {
    const { name, shown, at } = await make()
    const edits = Array.from({ length: 8 }, () => send(update, at, kind.edit(name), { 'if-match': shown.etag }))
    const statuses = (await Promise.all(edits)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => [409, 412].includes(status))).toHaveLength(7)
  })

  it('is gone for good once it is deleted as it was read, on record', async () => {
    const { shown, at, records } = await make()
    expect((await send('DELETE', at, undefined, { 'if-match': '"another"' })).status).toBe(412)
    expect((await send('DELETE', at, undefined, { 'if-match': shown.etag })).status).toBe(kind.gone)
    expect((await send('GET', at)).status).toBe(404)
    expect((await records()).at(-1)).toMatchObject({
      ...{ action: `${action}.deleted`, data: { before: shown.digest, after: null, author: shown.author } },
    })
  })

  it('is one of two hundred at most', async () => {
    await kind.fill(world.database.db)
    try {
      const { answer, shown } = await make()
      expect([answer.status, shown]).toMatchObject([409, { detail: `The limit of ${kind.limit} is reached.` }])
    } finally {
      await world.database.db`delete from ${world.database.db(kind.table)} where author = 'usr_filler'`
    }
  })
})

describe.each(KINDS.filter(({ one }) => one.startsWith('Console')))('$all', ({ path, draft }) => {
  it('is its text alone for who asks for YAML', async () => {
    const world = await sharedWorld()
    const name = world.name('authored')
    const here = { 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
    await world.api.post(path, draft(name), { ...world.as('owner'), ...here })
    const get = (headers: Record<string, string>) =>
      world.api.get(`${path}/${name}`, { ...world.as('viewer'), ...here, ...headers })
    const [record, text] = await Promise.all([get({}), get({ accept: 'text/yaml' })])
    const { document, etag } = (await record.json()) as { document: string; etag: string }
    expect(text.headers.get('content-type')).toBe('text/yaml; charset=utf-8')
    expect(await text.text()).toBe(document)
    expect([record.headers.get('etag'), text.headers.get('etag')]).toEqual([etag, etag])
  })
})
