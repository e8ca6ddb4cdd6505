import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { EMPTY_LAYER, type Policy } from '#core/policy/layer.ts'
import { EVERYWHERE } from '#core/policy/schema.ts'
import { policyLayer } from '#platform/check/policy-layer.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { bearer } from '#test/support/users.ts'

const POLICIES = '/ui/api/policies'
const OTHER = 'ws_0000000000000000000000000b'
const GUARD = `# anyone who is on call reads this
name: guard
applies_to: {environments: [production]}
rules:
- {effect: deny,   reason: "not at night"}
`

let owner: Record<string, string>
let author: string

const database = testDatabase()
const api = testAuthApi(database)
beforeAll(async () => {
  const user = await api.owner()
  author = user.id
  owner = await bearer(api.deps, user)
})

const post = (text: string, headers: Record<string, string> = {}) =>
  sendYaml(api, ['POST', POLICIES], text, { ...owner, ...headers })

describe('a policy that is authored', () => {
  it('is kept as it was written, with its author, and is on record with its digest', async () => {
    const answer = await post(GUARD)
    const policy = ConsolePolicy.parse(await answer.json())
    const digest = `sha256:${createHash('sha256').update(GUARD).digest('hex')}`
    expect([answer.status, answer.headers.get('location')]).toEqual([201, '/ui/api/policies/guard'])
    expect(policy).toMatchObject({ name: 'guard', document: GUARD, author, digest, loosens: false, attached_in: [] })
    expect(answer.headers.get('etag')).toBe(policy.etag)
    expect(await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/guard`)).toMatchObject([
      {
        action: 'policy.created',
        category: 'config',
        actor: { type: 'user', id: author, auth: 'jwt' },
        data: { before: null, after: digest, author, loosens: false },
      },
    ])
    const rows = await database.db`select document, author from console_policies where name = 'guard'`
    expect(rows).toEqual([{ document: GUARD, author }])
    expect(await codeOf(await post(GUARD))).toEqual([409, 'conflict'])
  })

  it('is refused with line, column and the name that was meant, and nothing is stored', async () => {
    for (const [text, line, column, hint] of [
      ['name: a\nrules:\n  - { effect: DENY }\n', 3, 15, 'did you mean deny?'],
      [
        'name: a\napplies_to: { environments: [prodution] }\nrules: [{ effect: deny }]\n',
        2,
        30,
        'did you mean production?',
      ],
      ['name: a\nrule: []\nrules: [{ effect: deny }]\n', 2, 1, 'did you mean rules?'],
      ['name: a\nrules: [\n', 3, 1, ''],
    ] as const) {
      const answer = await post(text)
      const { code, errors, detail } = (await answer.json()) as { code: string; detail: string; errors: object[] }
      expect([answer.status, code]).toEqual([422, 'validation_failed'])
      expect(errors).toMatchObject([{ line, column, msg: expect.stringContaining(hint) }])
      expect(detail).toContain(`line ${line}, column ${column}: `)
      const checked = policyLayer([{ file: 'policy', text, layer: 'console' }], {
        ...{ environments: ['production'], profiles: [], templates: new Map() },
        ...{ action_types: [], capabilities: [], connections: [] },
      })
      expect(errors).toMatchObject(
        checked.faults.map((fault) => ({ line: fault.line, column: fault.column, msg: fault.message })),
      )
    }
    for (const text of ['', '# nothing\n', '- 1\n', `${GUARD}---\n${GUARD}`, GUARD.replace('guard', 'no/address')])
      expect(await codeOf(await post(text))).toEqual([422, 'validation_failed'])
    expect(await database.db`select from console_policies where name <> 'guard'`).toHaveLength(0)
  })

  it('says of what may be meant as it is that it may not be', async () => {
    const text = 'name: hint\nrules: [{ effect: require_hitl, approval_role: night-crew }]\n'
    const { problems } = ConsolePolicy.parse(await (await post(text)).json())
    expect(problems).toMatchObject([{ line: 1 + 1, warning: true, message: expect.stringContaining('night-crew') }])
  })

  it('is flagged when it may let through what nothing let through before', async () => {
    const answer = await post('name: open\nrules: [{ effect: allow_auto }]\n')
    expect(ConsolePolicy.parse(await answer.json()).loosens).toBe(true)
    const [record] = await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/open`)
    expect(record?.data).toMatchObject({ loosens: true })
  })

  it('may be JSON', async () => {
    const body = { name: 'plain', rules: [{ effect: 'deny', reason: 'tab\there' }] }
    const policy = ConsolePolicy.parse(await (await api.post(POLICIES, body, owner)).json())
    expect(JSON.parse(policy.document)).toEqual(body)
    expect(policy.rules).toMatchObject([{ effect: 'deny', reason: 'tab\there' }])
  })

  it('has a size', async () => {
    expect(await codeOf(await post(`${GUARD}#${'x'.repeat(256 * 1_024)}`))).toEqual([413, 'payload_too_large'])
  })
})

describe('the policies of a workspace', () => {
  const DENY = 'name: guard\nrules: [{ effect: deny }]\n'
  const ASK = 'name: guard\nrules: [{ effect: require_hitl }]\n'
  const reported: string[] = []
  const database = testDatabase()
  const api = testApi(database)
  beforeAll(async () => {
    await addWorkspace(database, OTHER, 'other')
    api.deps.authoring.policy_ports.changed = (workspace) => void reported.push(workspace)
  })
  const put = (text: string, headers: Record<string, string> = {}) =>
    sendYaml(api, ['PUT', '/ui/api/policies/guard'], text, headers)

  it('replaces the text that was read, flags what loosens, and keeps both digests on record', async () => {
    const made = await sendYaml(api, ['POST', '/ui/api/policies'], DENY)
    const first = made.headers.get('etag') ?? ''
    const changed = await put(ASK, { 'if-match': first })
    expect([changed.status, await changed.json()]).toMatchObject([200, { document: ASK, loosens: true }])
    const late = await put(DENY, { 'if-match': first })
    expect(await late.json()).toMatchObject({ code: 'version_conflict', etag: changed.headers.get('etag') })
    const back = await put(DENY, { 'if-match': changed.headers.get('etag') ?? '' })
    expect(await back.json()).toMatchObject({ document: DENY, loosens: false })
    const records = await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/guard`)
    expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
      ['policy.created', false],
      ['policy.updated', true],
      ['policy.updated', false],
    ])
    expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
    expect(records[1]?.data['after']).toBe(records[2]?.data['before'])
    // the process that wrote it judges by it at once
    expect(reported).toEqual([DEFAULT_WORKSPACE_ID, DEFAULT_WORKSPACE_ID, DEFAULT_WORKSPACE_ID])
  })

  it('keeps its name, and is not replaced by what is broken', async () => {
    for (const text of [DENY.replace('guard', 'other'), DENY.replace('deny', 'denied'), ''])
      expect(await codeOf(await put(text))).toEqual([422, 'validation_failed'])
    expect(await (await api.get('/ui/api/policies/guard')).json()).toMatchObject({ document: DENY })
  })

  it('takes the policy that was read, and says what may be laxer without it', async () => {
    await sendYaml(api, ['POST', '/ui/api/policies'], 'name: guard\nrules: [{ effect: deny }]\n')
    const gone = await api.app.request('/ui/api/policies/guard', { method: 'DELETE' })
    expect([gone.status, await gone.json()]).toEqual([200, { name: 'guard', attached_in: [], loosens: true }])
    const records = await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/guard`)
    expect(records.at(-1)).toMatchObject({
      action: 'policy.deleted',
      data: { after: null, author: 'usr_local', loosens: true },
    })
  })

  it('lists those of its workspace by name, and says what is wrong with one that was stored otherwise', async () => {
    const policy = (name: string) => ({ name, rules: [{ effect: 'deny' }] })
    for (const name of ['zulu', 'alpha']) await api.post('/ui/api/policies', policy(name))
    await api.post('/ui/api/policies', policy('theirs'), { 'x-svc-workspace': OTHER })
    await database.db`
      insert into console_policies (workspace_id, name, document, author)
      values ('ws_00000000000000000000000000', 'broken', 'rules: 1', 'usr_ann')`
    const answer = await api.get('/ui/api/policies')
    expect(answer.headers.get('x-total-count')).toBe('3')
    const list = (await answer.json()) as { name: string; problems: object[]; rules?: object[] }[]
    expect(list.map(({ name }) => name)).toEqual(['alpha', 'broken', 'zulu'])
    expect(list[1]?.rules).toBeUndefined()
    expect(list[1]?.problems).toMatchObject([expect.objectContaining({ line: 1 }), expect.anything()])
    const theirs = await api.get('/ui/api/policies', { 'x-svc-workspace': OTHER })
    expect(await theirs.json()).toMatchObject([{ name: 'theirs', workspace_id: OTHER }])
  })
})

describe('a policy that a file declares as well', () => {
  const TEXT = 'name: guard   # as written\nrules: [{ effect: require_hitl }]\n'
  const SHIPPED: Policy = {
    ...{ name: 'guard', layer: 'pack', source: 'sre/policies/guard.yaml', pack: 'sre' },
    ...{ scope: EVERYWHERE, rules: [{ effect: 'deny', reason: '', channels: [] }] },
  }

  const database = testDatabase()
  const api = testApi(database, {
    content: {
      environments: {
        list: () =>
          SEEDED_ENVIRONMENTS.map((each) => ({ ...each, policies: each.name === 'production' ? ['guard'] : [] })),
      },
      policies: {
        layers: async () => ({ console: EMPTY_LAYER, overlay: EMPTY_LAYER, pack: { policies: [SHIPPED], broken: [] } }),
      },
    },
  })
  beforeAll(
    () => database.db`
      insert into console_policies (workspace_id, name, document, author)
      values ('ws_00000000000000000000000000', 'guard', ${TEXT}, 'usr_ann')`,
  )

  it('tells where it counts, and what it stands in the place of', async () => {
    const answer = await api.get('/ui/api/policies/guard')
    expect(await answer.json()).toMatchObject({
      ...{ document: TEXT, author: 'usr_ann', attached_in: ['production'], loosens: true, problems: [] },
      replaces: [{ layer: 'pack', source: 'sre/policies/guard.yaml' }],
    })
  })
})
