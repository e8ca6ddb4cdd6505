import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { PolicyRehearsal } from '#core/policy/rehearsal-schema.ts'
import { createPolicySource } from '#platform/policies/policy-source.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { sendYaml } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('rehearsePolicy')

const DENY = 'name: draft\nrules: [{ effect: deny, reason: "closed" }]\n'
const GATE = 'name: draft\nrules: [{ effect: require_hitl, approval_role: dba, reason: "ask" }]\n'

const runs: string[] = []

const database = testDatabase()
const opened = testEnvironments(database)
const policies = fileFixture(() =>
  createPolicySource({
    overlayDir: mkdtempSync(join(tmpdir(), 'svc-overlay-')),
    packPolicies: () => [],
    consolePolicies: createConsolePolicies(database.db).list,
    log: { info: () => {}, warn: () => {} },
  }),
)
const api = testApi(database, () => ({ content: { environments: opened.environments, policies } }))
beforeAll(async () => {
  runs.push(await admitTestRun(api), await admitTestRun(api))
})

async function rehearse(body: object): Promise<PolicyRehearsal> {
  const answer = await api.post('/console/api/policies/rehearse', body)
  expect(answer.status).toBe(200)
  return PolicyRehearsal.parse(await answer.json())
}

describe('a policy before it is saved', () => {
  it('says what it would have asked of the runs on record, and saves nothing', async () => {
    const { sound, changes, runs: counted } = await rehearse({ document: DENY, attach: ['development'] })
    expect(sound).toBe(true)
    expect(counted).toEqual({ judged: 2, changed: 2, looser: 0, cut: false })
    expect(changes.length).toBeGreaterThan(0)
    for (const change of changes)
      expect(change).toMatchObject({
        environment: 'development',
        looser: false,
        after: { outcome: 'deny' },
        runs: 2,
        newest_run_id: runs.toSorted().at(-1),
        because: [expect.stringContaining('draft')],
      })
    expect(await database.db`select from console_policies`).toHaveLength(0)
  })

  it('changes nothing where no environment attaches it', async () => {
    const { changes, attach, runs: counted } = await rehearse({ document: DENY })
    expect([changes, attach, counted.judged, counted.changed]).toEqual([[], [], 2, 0])
  })

  it('calls it looser when a demand that is in force is dropped or moved to another role', async () => {
    await sendYaml(api, ['POST', '/ui/api/policies'], GATE)
    const put = await api.app.request('/ui/api/environments/development/policies', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ policies: ['draft'] }),
    })
    expect(put.status).toBe(200)
    const same = await rehearse({ document: GATE, name: 'draft' })
    expect([same.attach, same.changes]).toEqual([['development'], []])

    const moved = await rehearse({ document: GATE.replace('dba', 'anybody'), name: 'draft' })
    expect(moved.loosens).toBe(true)
    expect(moved.runs).toMatchObject({ changed: 2, looser: 2 })
    expect(moved.changes[0]).toMatchObject({
      looser: true,
      before: { outcome: 'gate', approval_roles: [['dba']] },
      after: { outcome: 'gate', approval_roles: [['anybody']] },
    })
    const detached = await rehearse({ document: GATE, name: 'draft', attach: [] })
    expect(detached).toMatchObject({ loosens: true, runs: { looser: 2 } })
    await database.db`update runs set created_at = now() - interval '31 days'`
    const unused = await rehearse({ document: GATE, name: 'draft', attach: [] })
    expect(unused).toMatchObject({ loosens: true, runs: { judged: 0, looser: 0 } })
    await database.db`update runs set created_at = now()`
    const stricter = await rehearse({ document: DENY, name: 'draft' })
    expect(stricter.runs).toMatchObject({ changed: 2, looser: 0 })
  })

  it('tells what is wrong as saving would, with line and column', async () => {
    const wrong = await rehearse({ document: 'name: a\nrules:\n  - { effect: DENY }\n' })
    expect(wrong).toMatchObject({ sound: false, changes: [], problems: [{ line: 3, column: 15 }] })
    expect((await rehearse({ document: '' })).sound).toBe(false)
    const hint = await rehearse({ document: `${GATE}applies_to: { action_types: [nothing.like_it] }\n` })
    expect(hint).toMatchObject({ sound: true, problems: [{ warning: true }] })
    const body = { document: DENY, attach: ['nowhere'] }
    expect(await codeOf(await api.post('/console/api/policies/rehearse', body))).toEqual([422, 'validation_failed'])
  })
})
