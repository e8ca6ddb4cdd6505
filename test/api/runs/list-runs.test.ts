import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Actor } from '#core/actor.ts'
import type { GateCommand } from '#core/contract.ts'
import { commandText } from '#core/gate/attribute.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { GateOpening } from '#core/run/patch.ts'
import { Run } from '#core/run/schema.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { NOBODY } from '#services/auth/known-people.ts'
import { listRuns } from '#services/runs/list-runs.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { createRecordDeps, createRecordEngine, TEST_SEAL } from '#test/support/record-engine.ts'
import { admitTestRun, finishTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser } from '#test/support/users.ts'

itIsGuarded('listRuns')

const database = testDatabase()
const api = testApi(database)

describe('GET /runs', () => {
  it('pages through every run exactly once, newest first, and counts them', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) ids.push(await admitTestRun(api, { lane: 'realtime' }))
    const seen: string[] = []
    let path: string | undefined = '/runs?lane=realtime&limit=3'
    while (path !== undefined) {
      const response: Response = await api.get(path)
      expect(response.headers.get('x-total-count')).toBe('7')
      seen.push(
        ...z
          .array(Run)
          .parse(await response.json())
          .map((run) => run.id),
      )
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(ids.toReversed())
  })

  it('has the runs of one pipeline', async () => {
    const [mine, other] = ['pl_01hzy3v9k5m8q2w4x6z8b0d2f4', 'pl_01hzy3v9k5m8q2w4x6z8b0d2f5']
    const [one, two] = [await admitTestRun(api), await admitTestRun(api)]
    await database.db`update runs set pipeline_id = ${mine} where id = ${one}`
    await database.db`update runs set pipeline_id = ${other} where id = ${two}`
    const ids = async (query: string) =>
      z
        .array(Run)
        .parse(await (await api.get(`/runs?${query}`)).json())
        .map(({ id }) => id)
    expect(await ids(`pipeline=${mine}`)).toEqual([one])
    expect(await ids(`pipeline=${mine}&status=succeeded`)).toEqual([])
    expect((await api.get('/runs?pipeline=nonsense')).status).toBe(422)
  })

  it('understands the status words of other tools', async () => {
    const id = await admitTestRun(api)
    await finishTestRun(api, id)
    for (const word of ['succeeded', 'completed', 'success', 'queued,success']) {
      const runs = z.array(Run).parse(await (await api.get(`/runs?status=${word}&limit=200`)).json())
      expect(runs.map((run) => run.id)).toContain(id)
    }
    expect((await api.get('/runs?status=done')).status).toBe(422)
  })

  it.each(['x', 'cnVuXzE', Buffer.from('2026-99-99 00:00:00+00|run_00000000000000000000000000').toString('base64url')])(
    'refuses the cursor %s',
    async (cursor) => {
      const response = await api.get(`/runs?cursor=${cursor}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'invalid_cursor' })
    },
  )

  it.each(['0', '201', '-1', '1.5', 'ten', ''])('refuses the limit "%s" in plain words', async (limit) => {
    const response = await api.get(`/runs?limit=${limit}`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ errors: [{ msg: 'must be a whole number from 1 to 200' }] })
  })

  it('never shows a run of another workspace', async () => {
    const foreign = await foreignRun()
    const runs = z.array(Run).parse(await (await api.get('/runs?limit=200')).json())
    expect(runs.map((run) => run.id)).not.toContain(foreign)
  })
})

describe('filters of GET /runs', () => {
  const found = async (query: string) => {
    const response = await api.get(`/runs?${query}`)
    expect(response.status, query).toBe(200)
    return z
      .array(Run)
      .parse(await response.json())
      .map((run) => run.id)
  }

  it('narrow by pack, template, environment, trigger, label, text and time, and together', async () => {
    const trigger = (type: string) => ({ provenance: { trigger: { type }, actor: { id: 'usr_x' } } })
    const { id: mia } = await addUser(api.deps, { roles: ['operator'], display_name: 'Mia Operator' })
    const one = await admitTestRun(api, {
      pack: 'filters',
      template: 'mend',
      environment: 'staging',
      labels: { team: 'payments', 'odd=name': 'x' },
      reason: 'Checkout is DOWN 100%',
      ...trigger('alert'),
    })
    const two = await admitTestRun(api, { pack: 'filters', template: 'other', ...trigger('schedule') })
    const by = { trigger: { type: 'direct' }, actor: { type: 'user', id: mia } }
    const three = await admitTestRun(api, { pack: 'by-a-person', provenance: by })
    await database.db`update runs set created_at = '2026-03-01T12:00:00Z' where id = ${two}`
    const gate = await parkTestRun(api, three)
    const cases: [string, string[]][] = [
      ['pack=filters', [one, two]],
      ['pack=filters&template=mend', [one]],
      ['template=filters/mend', [one]],
      ['pack=incident&template=filters/mend', []],
      ['environment=staging', [one]],
      ['pack=filters&environment=staging&trigger=alert', [one]],
      ['pack=filters&trigger=schedule', [two]],
      ['trigger=schedule', [two]],
      ['pack=filters&trigger=bus', []],
      ['label=team%3Dpayments', [one]],
      ['label=team', [one]],
      ['label=odd%3Dname%3Dx', []],
      ['label=team%3Dpay', []],
      ['q=checkout%20is%20down%20100%25', [one]],
      ['q=filters/m', [one]],
      [`q=${one}`, [one]],
      ['q=mia%20OPER', [three]],
      [`q=${mia}`, [three]],
      [`q=${gate}`, [three]],
      [`q=${gate.slice(0, -1)}`, []],
      [`pack=filters&q=${gate}`, []],
      ['pack=filters&until=2026-03-01T12:00:00Z', []],
      ['pack=filters&since=2026-03-01T12:00:00Z&until=2026-03-01T14:30:00%2B02:00', [two]],
      ['pack=filters&status=queued&lane=background', [one, two]],
      ['pack=filters&status=failed', []],
      ['pack=filters&status=failed&status=queued', [one, two]],
      ['pack=filters&lane=realtime&lane=background', [one, two]],
      ['pack=filters&awaiting_me=false', [one, two]],
    ]
    for (const [query, ids] of cases) expect(await found(query), query).toEqual(ids)
  })

  it('pages through a search, and says how many there are', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await admitTestRun(api, { environment: 'paged' }))
    const first = await api.get('/runs?environment=paged&limit=2&status=queued&status=failed')
    expect(first.headers.get('x-total-count')).toBe('5')
    const seen: string[] = []
    let next: string | undefined = '/runs?environment=paged&limit=2&status=queued&status=failed'
    while (next !== undefined) {
      const response: Response = await api.get(next)
      const runs = z.array(Run).parse(await response.json())
      seen.push(...runs.map((run) => run.id))
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(ids.toReversed())
  })

  it.each([
    ['enviroment=staging', 'is no query parameter of this operation'],
    ['pack=a&pack=b', 'is given more than once, and takes one value'],
    ['limit=1&limit=2', 'is given more than once, and takes one value'],
    ['trigger=alarm', 'alert'],
    ['lane=fast', 'is not a lane; there are realtime, background'],
    ['status=queued&status=done', 'is not a run status'],
    ['since=yesterday', 'takes a time as RFC 3339 says it'],
    ['since=0000-01-01T00:00:00Z', 'times that cannot be stored'],
    ['until=2026-01-01T00:00:00%2B23:59', 'times that cannot be stored'],
    ['awaiting_me=yes', 'true'],
    ['q=', ''],
  ])('refuse %s', async (query, says) => {
    const response = await api.get(`/runs?${query}`)
    expect(response.status).toBe(422)
    expect(JSON.stringify(await response.json())).toContain(says)
  })

  it('awaiting_me are those whose gate the caller may answer now', async () => {
    const { id: someone } = await addUser(api.deps, { roles: ['approver'] })
    const provenance = { trigger: { type: 'direct' }, actor: { type: 'user', id: someone } }
    const gate = (required: Partial<GateOpening['required']>): Partial<GateOpening> => ({
      required: { approvals: 1, approval_roles: [], prevent_self: false, ...required },
    })
    const parked = async (required: Partial<GateOpening['required']>) => {
      const id = await admitTestRun(api, { environment: 'mine', provenance })
      return { id, gate: await parkTestRun(api, id, gate(required)) }
    }
    const any = await parked({})
    const role = await parked({ approval_roles: [['dba']] })
    const other = await parked({ approval_roles: [['lead']] })
    const own = await parked({ prevent_self: true })
    const voted = await parked({ approvals: 2 })
    const record = createRecordDeps(database.db, { open: false, signals_approve: false })
    const vote: GateCommand = {
      ...{
        gate_id: voted.gate,
        decision_id: 'dec_x',
        kind: 'approve',
        plan_hash: `sha256:${'a'.repeat(64)}`,
        by: someone,
      },
      ...{ display: 'Someone', type: 'user', roles: ['approver'], channel: 'api', asserted: false, auth: 'jwt' },
      at: new Date().toISOString(),
    }
    const signature = TEST_SEAL.sign(commandText(voted.id, vote))
    await createRecordEngine(record).decide(voted.id, { ...vote, signature })
    await admitTestRun(api, { environment: 'mine' })
    const ctx = {
      ...{ ...record, workspace_id: DEFAULT_WORKSPACE_ID, channel: 'api' as const, people: NOBODY },
      ...{ searches: api.deps.reads.searches, views: api.deps.reads.views },
    }
    const person: Actor = {
      ...LOCAL_ACTOR,
      ...{ id: someone, auth: 'jwt', roles: ['approver'], approval_roles: ['dba'], scopes: [] },
    }
    const mine = async (actor: Actor) =>
      (await listRuns({ ...ctx, actor }, { limit: 50, environment: 'mine', awaiting_me: true })).items.map(
        ({ id }) => id,
      )
    expect(await mine(person)).toEqual([role.id, any.id])
    expect(await mine({ ...person, id: 'usr_other', approval_roles: ['lead'] })).toEqual([
      voted.id,
      own.id,
      other.id,
      any.id,
    ])
    expect(await mine({ ...person, roles: ['viewer'] })).toEqual([])
    expect(await found('environment=mine&awaiting_me=true&status=failed')).toEqual([])
  })
})

async function foreignRun(): Promise<string> {
  const workspace_id = 'ws_11111111111111111111111111'
  await database.db`insert into workspaces (id, slug, name) values (${workspace_id}, 'other', 'Other') on conflict do nothing`
  return admitTestRun(api, { workspace_id })
}
