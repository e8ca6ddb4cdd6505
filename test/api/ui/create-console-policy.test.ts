import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { policyLayer } from '#platform/check/policy-layer.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { bearer } from '#test/support/users.ts'

itIsGuarded('createConsolePolicy')

const POLICIES = '/ui/api/policies'
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
