import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { HaltRecord } from '#core/halt/schema.ts'
import type { GateOpening } from '#core/run/patch.ts'
import { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { ALERT } from '#test/support/tenants.ts'
import { admitTestRun, gateView, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listGates')
itRefuses('listGates', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const Gates = z.array(z.strictObject(WaitingGate.shape))

const world = guardWorld()

async function list(who: string, query: Record<string, string>) {
  const response = await world.api.get(`/approvals?${new URLSearchParams(query)}`, world.as(who))
  return { response, gates: response.status === 200 ? Gates.parse(await response.json()) : [] }
}

async function park(environment: string, gate: Partial<GateOpening> = {}, run: Partial<RunDraft> = {}) {
  const run_id = await admitTestRun(world.api, { environment, ...run })
  return { run_id, gate_id: await parkTestRun(world.api, run_id, gate) }
}

/** A queue of its own for each test. */
async function newEnvironment(more: object = {}): Promise<string> {
  const name = world.name('queue')
  expect((await world.api.post('/ui/api/environments', { name, ...more }, world.as('owner'))).status).toBe(201)
  return name
}

const idOf = async (who: string) =>
  ((await (await world.api.get('/auth/me', world.as(who))).json()) as { id: string }).id

const until = (day: number) => ({ expires_at: `2099-01-0${day}T00:00:00.000Z` })
const required = (more: object) => ({ required: { approvals: 1, approval_roles: [], prevent_self: false, ...more } })

describe('GET /approvals', () => {
  it('shows of each gate what is asked, and what expires first in front', async () => {
    const environment = await newEnvironment()
    const [third, first, second] = [
      await park(environment, until(3)),
      await park(environment, until(1)),
      await park(environment, { ...until(2), ...required({ approvals: 2, require_note: 'reject' }) }),
    ]
    const { response, gates } = await list('approver', { environment })
    expect(gates.map(({ gate_id }) => gate_id)).toEqual([first.gate_id, second.gate_id, third.gate_id])
    expect(response.headers.get('x-total-count')).toBe('3')
    expect(gates[1]).toMatchObject({
      run_id: second.run_id,
      pack: 'incident',
      template: 'service-recovery',
      summary: 'POST http://127.0.0.1:8080/restart',
      action_type: 'service.restart',
      risk: 'medium',
      targets: 1,
      because: ['policy'],
      requester: { id: 'usr_someone' },
      require_note: 'reject',
      approvals: { have: 0, need: 2 },
      missing: { approvals: 2, roles: [] },
      you_may: ['approve', 'reject'],
    })
  })

  it('tells commands apart that differ after their first thousand characters', async () => {
    const environment = await newEnvironment()
    const long = 'x'.repeat(1_000)
    const commands = ['short', long, `${long}; restart a`, `${long}; restart b`]
    for (const command of commands) await park(environment, { view: gateView({ command }) })
    const { gates } = await list('approver', { environment })
    const shown = gates.map(({ command = '' }) => command).sort()
    expect(new Set(shown).size).toBe(4)
    expect(shown.slice(0, 2)).toEqual(['short', long])
    expect(shown[2]).toMatch(/^x{1000}… \(1011 characters, sha256 [0-9a-f]{12}\)$/)
  })

  it('shows what was found before and what started the run, each cut short', async () => {
    const environment = await newEnvironment()
    const finding = (title: string, excerpt: string) => ({ title, excerpt, step: title, digest: `sha256:${title}` })
    const found = ['status: 503', 'y'.repeat(201), '', 'three', 'four'].map((excerpt, n) =>
      finding(`step ${n}`, excerpt),
    )
    const provenance = { trigger: { type: 'retry' } }
    await park(environment, { ...until(1), view: { ...gateView(), evidence: found } }, { provenance })
    await park(environment, until(2))
    const { gates } = await list('viewer', { environment })
    expect(gates.map(({ trigger, evidence }) => ({ trigger, evidence }))).toEqual([
      {
        trigger: 'retry',
        evidence: [
          { title: 'step 0', excerpt: 'status: 503' },
          { title: 'step 1', excerpt: `${'y'.repeat(200)}…` },
        ],
      },
      { trigger: 'direct', evidence: [] },
    ])
    expect(gates.map(({ comment_count, newest_comment }) => [comment_count, newest_comment])).toEqual([
      [0, undefined],
      [0, undefined],
    ])
  })

  it('gives each page where the one before ended', async () => {
    const environment = await newEnvironment()
    const parked = []
    for (const day of [1, 1, 2, 3]) parked.push((await park(environment, until(day))).gate_id)
    const seen: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const { response, gates } = await list('viewer', { environment, limit: '2', ...(cursor && { cursor }) })
      seen.push(...gates.map(({ gate_id }) => gate_id))
      cursor = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual(parked)
    expect((await list('viewer', { cursor: 'nonsense' })).response.status).toBe(400)
  })

  it('has the gates of critical alerts in front, then those of high ones, on all pages', async () => {
    const environment = await newEnvironment()
    const of = async (day: number, severity?: AlertRecord['severity']) => {
      const alert = severity === undefined ? {} : { alert: { ...ALERT, severity } }
      return (await park(environment, until(day), alert)).gate_id
    }
    const [none, medium, high, later, critical] = [
      await of(1),
      await of(2, 'medium'),
      await of(3, 'high'),
      await of(5, 'critical'),
      await of(4, 'critical'),
    ]
    const seen: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const { response, gates } = await list('viewer', { environment, limit: '1', ...(cursor && { cursor }) })
      seen.push(...gates.map(({ gate_id }) => gate_id))
      cursor = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
      // the next page misses nothing where the last gate of this one is less urgent by then
      await world.database.db`update run_trigger_alerts a set alert = jsonb_set(alert, '{severity}', '"low"')
        from gates g where g.run_id = a.run_id and g.id = ${seen.at(-1) ?? ''}`
    }
    // those that became less urgent stand a second time where they belong now
    expect([...new Set(seen)]).toEqual([critical, later, high, none, medium])
  })

  it('narrows by risk, template and environment', async () => {
    const environment = await newEnvironment()
    const { gate_id } = await park(environment, {}, { pack: 'incident', template: world.name('template') })
    const template = (await list('viewer', { environment })).gates[0]?.template ?? ''
    for (const [query, count] of [
      [{ risk: 'medium' }, 1],
      [{ risk: 'high' }, 0],
      [{ template }, 1],
      [{ template: `incident/${template}` }, 1],
      [{ template: `other/${template}` }, 0],
      [{ pack: 'other' }, 0],
    ] as const) {
      const { gates } = await list('viewer', { environment, ...query })
      expect([query, gates.map((gate) => gate.gate_id)]).toEqual([query, count === 1 ? [gate_id] : []])
    }
    expect((await list('viewer', { risk: 'odd' })).response.status).toBe(422)
  })

  it('says which answers would be taken from anyone who asks, and finds those that wait for them', async () => {
    const environment = await newEnvironment()
    const me = await idOf('approver')
    const actor = { type: 'user', id: me, display: 'Me' }
    const [open, own, of_a_role] = [
      await park(environment, until(1)),
      await park(
        environment,
        { ...until(2), ...required({ prevent_self: true }) },
        { provenance: { trigger: { type: 'direct' }, actor } },
      ),
      await park(environment, { ...until(3), ...required({ approval_roles: [['dba']] }) }),
    ]
    const all = await list('approver', { environment })
    expect(all.gates.map(({ gate_id, you_may }) => [gate_id, you_may])).toEqual([
      [open.gate_id, ['approve', 'reject']],
      [own.gate_id, ['reject']],
      [of_a_role.gate_id, ['reject']],
    ])
    const mine = await list('approver', { environment, awaiting_me: 'true' })
    expect(mine.gates.map(({ gate_id }) => gate_id)).toEqual([open.gate_id])
    expect(mine.response.headers.get('x-total-count')).toBe('1')
    expect((await list('viewer', { environment, awaiting_me: 'true' })).gates).toEqual([])
  })

  it('shows a viewer no address and no answer, and another workspace nothing', async () => {
    const environment = await newEnvironment()
    const actor = { type: 'user', id: await idOf('approver'), display: 'Somebody' }
    await park(environment, {}, { provenance: { trigger: { type: 'direct' }, actor } })
    const [seen] = (await list('viewer', { environment })).gates
    expect([seen?.you_may, seen?.requester?.email]).toEqual([[], undefined])
    expect((await list('approver', { environment })).gates[0]?.requester?.email).toContain('@')
    expect((await list('stranger', { environment })).gates).toEqual([])
  })

  it('finds a gate by who asked for it, under the name that it shows', async () => {
    const environment = await newEnvironment()
    const id = await idOf('approver')
    const by = (actor: Record<string, string>, more: Record<string, Record<string, string>> = {}) =>
      park(environment, {}, { provenance: { trigger: { type: 'direct' }, actor, ...more } })
    const own = await by({ type: 'user', id, display: 'Before The Wedding' })
    const for_them = await by(
      { type: 'service', id: 'schedule', display: 'Nightly Job' },
      { human_root: { user_id: id } },
    )
    const found = async (q: string) => (await list('viewer', { environment, q })).gates.map(({ gate_id }) => gate_id)
    const [shown] = (await list('viewer', { environment })).gates.filter(({ gate_id }) => gate_id === own.gate_id)
    const name = shown?.requester?.display ?? ''
    expect(name).not.toBe('')
    expect((await found(name.toUpperCase())).sort()).toEqual([own.gate_id, for_them.gate_id].sort())
    expect(await found('nightly job')).toEqual([for_them.gate_id])
    expect(await found('before the wedding'), 'a name that is not shown').toEqual([])
  })

  it('finds a gate by what the steps before have found', async () => {
    const environment = await newEnvironment()
    const evidence = [{ title: 'Ask for its health', excerpt: 'status: 503\njson:\n  reason: Out of memory' }]
    const full = await park(environment, { view: { ...gateView(), evidence } })
    await park(environment)
    const { gates } = await list('viewer', { environment, q: 'out of MEMORY' })
    expect(gates.map(({ gate_id }) => gate_id)).toEqual([full.gate_id])
  })

  it('leaves out what is answered', async () => {
    const environment = await newEnvironment()
    const { run_id } = await park(environment)
    const answer = await world.api.post(`/runs/${run_id}/resume`, { decision: 'reject' }, world.as('approver'))
    expect(answer.status).toBe(200)
    expect((await list('approver', { environment })).gates).toEqual([])
  })

  it('says why a halt holds a run, beside the answers that are still taken', async () => {
    const environment = await newEnvironment()
    await park(environment)
    const body = { scope: { environment }, reason: 'a drill' }
    const set = await world.api.post('/console/api/halts', body, world.as('admin'))
    const { id } = HaltRecord.parse(await set.json())
    const seen = async () => (await list('approver', { environment })).gates[0]
    expect(await seen()).toMatchObject({ halted: 'a drill', you_may: ['approve', 'reject'] })
    await world.api.app.request(`/console/api/halts/${id}`, { method: 'DELETE', headers: world.as('admin') })
    expect(await seen()).not.toHaveProperty('halted')
  })

  it('says of a freeze that nobody may approve in it, and takes the approval away', async () => {
    const freeze = [{ name: 'year-end', interval: { from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' } }]
    const environment = await newEnvironment({ freeze })
    await park(environment)
    expect((await list('approver', { environment })).gates[0]).toMatchObject({
      frozen: { name: 'year-end', until: '2090-01-01T00:00:00.000Z' },
      you_may: ['reject'],
    })
  })
})
