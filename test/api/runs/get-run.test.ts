import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { showRun } from '#cli/views/show-run.ts'
import type { Schema } from '#client/create-client.ts'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Run } from '#core/run/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, SECRET } from '#test/support/users.ts'

itIsGuarded('getRun')

const database = testDatabase()
const api = testApi(database)
const guarded = testApi(database, { secret: SECRET })

describe('GET /runs/{id}', () => {
  it('answers the whole record in the documented shape', async () => {
    const id = await admitTestRun(api)
    const response = await api.get(`/runs/${id}`)
    expect(response.status).toBe(200)
    const run = z.strictObject(Run.shape).parse(await response.json())
    expect(run).toMatchObject({ id, status: 'queued', total_usd: 0, cap_usd: 1, attached_count: 0 })
    expect(run.progress.steps.map((step) => [step.id, step.state])).toEqual([
      ['evidence', 'pending'],
      ['act', 'pending'],
    ])
  })

  it.each([
    ['/runs/{id}', '../console/runs/{id}'],
    [`/workspaces/${DEFAULT_WORKSPACE_ID}/runs/{id}`, `../../../console/runs/{id}?workspace=${DEFAULT_WORKSPACE_ID}`],
  ])(
    'sends a browser at %s to the console, signed in or not, and whether the run is there or not',
    async (path, to) => {
      for (const id of [await admitTestRun(api), await foreignRun(), `run_${'0'.repeat(26)}`]) {
        for (const at of [api, guarded]) {
          const response = await at.get(path.replace('{id}', id), { accept: 'text/html,*/*;q=0.8' })
          expect([response.status, response.headers.get('location')]).toEqual([303, to.replace('{id}', id)])
          expect(response.headers.get('vary')).toContain('Accept')
        }
        expect((await guarded.get(path.replace('{id}', id))).status).toBe(401)
      }
    },
  )

  it('says who has answered its gates, through which account and why, on the command line too', async () => {
    const id = await admitTestRun(api)
    const gate_id = await parkTestRun(api, id)
    const ann = await addUser(api.deps, { roles: ['approver'] })
    const bot = await addUser(api.deps, { roles: ['service'], display_name: 'Answer bot' })
    await database.db`insert into gate_decisions (gate_id, decision_id, decided_by, decision, note, channel, via)
      values (${gate_id}, 'dec_1', ${ann.id}, 'reject', 'not <b>tonight</b>', 'cli', ${bot.id})`
    const run = z.strictObject(Run.shape).parse(await (await api.get(`/runs/${id}`)).json())
    expect(run.gates).toMatchObject([
      {
        gate_id,
        decisions: [
          {
            ...{ by: ann.id, name: ann.email, via: { id: bot.id, name: 'Answer bot' }, decision: 'reject' },
            ...{ channel: 'cli', note: 'not <b>tonight</b>' },
          },
        ],
      },
    ])
    const lines: string[] = []
    const shown = (await (await api.get(`/runs/${id}`)).json()) as Schema<'Run'>
    showRun(
      { run: shown, steps: [], pending: undefined, url: '', now: Date.now() },
      { out: (line) => void lines.push(line), screen: () => undefined },
    )
    expect(lines.join('\n')).toContain(`act rejected by ${ann.email} through Answer bot (cli), `)
    const [listed] = z.array(Run).parse(await (await api.get('/runs?limit=1')).json())
    expect(listed?.gates[0]).not.toHaveProperty('decisions')
  })

  it('names the halts that hold it', async () => {
    const id = await admitTestRun(api)
    const scope = { template: 'incident/service-recovery' }
    const halt = HaltRecord.parse(
      await (await api.post('/console/api/halts', { scope, reason: 'a <b>drill</b>' })).json(),
    )
    const queued = Run.parse(await (await api.get(`/runs/${id}`)).json())
    expect(queued.halts, 'before it meets the halt').toMatchObject([{ id: halt.id }])
    await database.db`update runs set status = 'running', status_reason = 'halted', started_at = now() where id = ${id}`
    const held = Run.parse(await (await api.get(`/runs/${id}`)).json())
    expect(held.halts).toEqual([
      { id: halt.id, reason: 'a <b>drill</b>', by: expect.any(String), created_at: halt.created_at },
    ])
    await api.app.request(`/console/api/halts/${halt.id}`, { method: 'DELETE' })
    expect(Run.parse(await (await api.get(`/runs/${id}`)).json()).halts).toEqual([])
  })

  it('answers an unknown id, a foreign id and a malformed id with the same bytes', async () => {
    const foreign = await foreignRun()
    const bodies = await Promise.all(
      [foreign, 'run_00000000000000000000000000', 'run_nonsense', 'x'].map(async (id) => {
        const response = await api.get(`/runs/${id}`)
        expect(response.status).toBe(404)
        const { request_id, instance, ...rest } = z.record(z.string(), z.unknown()).parse(await response.json())
        return JSON.stringify([rest, typeof request_id, typeof instance])
      }),
    )
    expect(new Set(bodies).size).toBe(1)
  })
})

async function foreignRun(): Promise<string> {
  const workspace_id = 'ws_11111111111111111111111111'
  await database.db`insert into workspaces (id, slug, name) values (${workspace_id}, 'other', 'Other') on conflict do nothing`
  return admitTestRun(api, { workspace_id })
}
