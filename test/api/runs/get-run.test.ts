import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { showRun } from '#cli/views/show-run.ts'
import type { Schema } from '#client/create-client.ts'
import { HaltRecord } from '#core/halt/schema.ts'
import { Run } from '#core/run/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, finishTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser } from '#test/support/users.ts'

itIsGuarded('getRun')

const database = testDatabase()
const api = testApi(database)

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

  it('is a page for a browser, which shows what others wrote as text and runs nothing', async () => {
    const id = await admitTestRun(api)
    await database.db`update runs set reason = ${'<script>alert(1)</script>\u202e'} where id = ${id}`
    const response = await api.get(`/runs/${id}`, { accept: 'text/html' })
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await response.text()
    expect(html).toContain(`${id}</td>`)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}')
    expect(html).not.toContain('<script>')
  })

  it('says who has answered its gates, through which account and why, on the page and the command line too', async () => {
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
    const html = await (await api.get(`/runs/${id}`, { accept: 'text/html' })).text()
    expect(html).toContain(`rejected by ${ann.email} through Answer bot`)
    expect(html).toContain('not &lt;b&gt;tonight&lt;/b&gt;')
  })

  it('shows the report on the page, as text', async () => {
    const id = await admitTestRun(api)
    const body_base64 = Buffer.from('# Done\n\n<img src=x onerror=alert(1)>').toString('base64')
    const digest = `sha256:${'d'.repeat(64)}`
    const report = { id: 'art_1', name: 'report.md', media_type: 'text/markdown', size_bytes: 36, digest, body_base64 }
    await finishTestRun(api, id, { step_id: 'act', ordinal: 1, attempt: 1, state: 'succeeded', artifacts: [report] })
    const html = await (await api.get(`/runs/${id}`, { accept: 'text/html' })).text()
    expect(html).toContain('<h2>Report</h2><pre># Done\n\n&lt;img src=x onerror=alert(1)&gt;</pre>')
  })

  it('names the halts that hold it, in the record and on the page', async () => {
    const id = await admitTestRun(api)
    const scope = { template: 'incident/service-recovery' }
    const halt = HaltRecord.parse(
      await (await api.post('/console/api/halts', { scope, reason: 'a <b>drill</b>' })).json(),
    )
    expect(Run.parse(await (await api.get(`/runs/${id}`)).json()).halts).toBeUndefined()
    await database.db`update runs set status = 'running', status_reason = 'halted', started_at = now() where id = ${id}`
    const held = Run.parse(await (await api.get(`/runs/${id}`)).json())
    expect(held.halts).toEqual([
      { id: halt.id, reason: 'a <b>drill</b>', by: expect.any(String), created_at: halt.created_at },
    ])
    const html = await (await api.get(`/runs/${id}`, { accept: 'text/html' })).text()
    expect(html).toContain('a &lt;b&gt;drill&lt;/b&gt;')
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
