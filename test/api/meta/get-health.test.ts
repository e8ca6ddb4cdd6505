import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { createTestApi, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { guardPolicies } from '#test/support/guard-policies.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getHealth')

const NO_POLICIES = compilePolicies(
  {
    layers: { pack: EMPTY_LAYER, overlay: EMPTY_LAYER, console: EMPTY_LAYER },
    environment: { name: '', class: '', policies: [] },
  },
  { hash: (text) => text },
)

let engine: () => Promise<void> = async () => {}

const database = testDatabase()
const api = testApi(database, { pingEngine: () => engine() })
beforeEach(async () => {
  engine = async () => {}
  await database.db`delete from worker_heartbeats`
})

async function beat(worker: { id?: string; lanes?: string[]; leader?: boolean; ok?: boolean; age_s?: number } = {}) {
  await database.db`
    insert into worker_heartbeats (worker_id, lanes, audit_leader, audit_ok, seen_at)
    values (${worker.id ?? 'w1'}, ${worker.lanes ?? ['realtime', 'background']}, ${worker.leader ?? true}, ${worker.ok ?? true},
      now() - ${worker.age_s ?? 0} * interval '1 second')`
}

async function health(query = '') {
  const response = await api.get(`/healthz${query}`)
  return { status: response.status, body: await response.json() }
}

describe('GET /healthz', () => {
  it('is 200 when everything answers', async () => {
    await beat()
    expect(await health()).toEqual({
      status: 200,
      body: { status: 'ok', checks: { postgres: 'ok', temporal: 'ok', workers: 'ok', audit: 'ok' } },
    })
  })

  it.each([
    ['no worker', async () => {}, { workers: 'failing', audit: 'failing' }],
    ['only old heartbeats', () => beat({ age_s: 11 }), { workers: 'failing', audit: 'failing' }],
    ['a lane without a worker', () => beat({ lanes: ['realtime'] }), { workers: 'failing', audit: 'ok' }],
    ['nobody who writes the audit chain', () => beat({ leader: false }), { workers: 'ok', audit: 'failing' }],
    ['an audit sink that refuses', () => beat({ ok: false }), { workers: 'ok', audit: 'failing' }],
  ])('is 503 with %s', async (_case, arrange, checks) => {
    await arrange()
    expect(await health()).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { postgres: 'ok', ...checks } },
    })
  })

  it('says within two seconds that the engine is away or silent', async () => {
    await beat()
    for (const away of [() => Promise.reject(new Error('secret address')), () => new Promise<void>(() => {})]) {
      engine = away
      const started = performance.now()
      const answer = await health('?verbose')
      expect(answer).toMatchObject({ status: 503, body: { checks: { temporal: 'failing', postgres: 'ok' } } })
      expect(JSON.stringify(answer)).not.toContain('secret')
      expect(performance.now() - started).toBeLessThan(2_000)
    }
  })

  it('is degraded with ?verbose when something of the deployment is not as it is meant, and says what and where', async () => {
    await beat()
    await database.db`insert into users (id, account_id, email, roles, approval_roles, workspaces, status, password_hash)
      values ('usr_00000000000000000000000001', 'acc_default', 'dba@example.test', '{approver}', '{dba}', ${[DEFAULT_WORKSPACE_ID]}, 'active', '$argon2id$x')`
    const fault = {
      file: 'rules/a.yaml',
      line: 3,
      column: 16,
      message: 'there is no environment lvie; did you mean live?',
    }
    const asked: unknown[] = []
    const open = (findings: object[], secret?: string) =>
      createTestApi(database, {
        ...(secret && { secret }),
        files: {
          findings: (online) => {
            asked.push(online)
            return findings as (typeof fault)[]
          },
        },
        content: { policies: { ...guardPolicies(), effective: async () => NO_POLICIES } },
      })
    const wrong = await open([fault])
    const doubtful = await open([{ ...fault, warning: true }])
    try {
      expect(await (await wrong.get('/healthz?verbose')).json()).toMatchObject({
        status: 'degraded',
        problems: [fault],
      })
      expect(await (await wrong.get('/healthz')).json()).toMatchObject({ status: 'ok' })
      expect(await (await doubtful.get('/healthz?verbose')).json()).toMatchObject({ status: 'ok' })
      // nobody is asked for a role where nobody signs in
      const known = {
        console_policies: [],
        corpora: [],
        stored_connections: [],
        workspaces: expect.arrayContaining(['default']),
      }
      expect(asked).toEqual([known, known])
      expect(await wrong.deps.identity.users.heldApprovalRoles()).toEqual(['dba'])
    } finally {
      await wrong.close()
      await doubtful.close()
    }
  })

  it('lists messages that did not arrive, by channel and reason, of the own workspace', async () => {
    const gate_id = await parkTestRun(api, await admitTestRun(api))
    const plan = (kind: string, recipient: string, status: string, again = false) => database.db`
      insert into notice_deliveries (gate_id, workspace_id, kind, channel, recipient, status, detail, next_at)
      values (${gate_id}, ${DEFAULT_WORKSPACE_ID}, ${kind}, 'ops-hook', ${recipient}, ${status},
        ${status === 'failed' ? 'hooks.example.test answered 500' : null}, ${again ? database.db`now()` : null})`
    await beat()
    const reported = { channel: 'ops-hook', detail: 'hooks.example.test answered 500', since: expect.any(String) }
    await plan('opened', 'a', 'failed')
    await plan('opened', 'b', 'failed')
    await plan('opened', 'c', 'planned')
    const givenUp = (await health('?verbose')).body
    expect(givenUp).toMatchObject({ status: 'ok', undelivered: [{ ...reported, count: 2, retrying: 0 }] })
    await plan('opened', 'd', 'failed', true)
    const retried = (await health('?verbose')).body
    expect(retried).toMatchObject({ status: 'degraded', undelivered: [{ ...reported, count: 3, retrying: 1 }] })
    expect((await health()).body).toMatchObject({ status: 'ok' })
    await database.db`update notice_deliveries set updated_at = now() - interval '25 hours'`
    expect((await health('?verbose')).body).toMatchObject({ undelivered: [] })
  })

  it('two workers of one lane each carry both', async () => {
    await beat({ id: 'a', lanes: ['realtime'] })
    await beat({ id: 'b', lanes: ['background'], leader: false })
    expect((await health()).status).toBe(200)
  })
})
