import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { Artifact } from '#core/run/artifact-schema.ts'
import { EventSnapshot } from '#core/run/event-schema.ts'
import { Run } from '#core/run/schema.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { admitTestRun, finishTestRun, logEvents } from '../support/test-runs.ts'

let database: TestDatabase
let api: TestApi

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database)
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})

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

  it.each(['0', '201', '-1', '1.5', 'ten', ''])('refuses the limit "%s"', async (limit) => {
    expect((await api.get(`/runs?limit=${limit}`)).status).toBe(422)
  })

  it('never shows a run of another workspace', async () => {
    const foreign = await foreignRun()
    const runs = z.array(Run).parse(await (await api.get('/runs?limit=200')).json())
    expect(runs.map((run) => run.id)).not.toContain(foreign)
  })
})

describe('GET /runs/{id}/events', () => {
  it('answers a page in order and says whether there is more', async () => {
    const id = await admitTestRun(api)
    await api.runs.appendEvents(id, logEvents(4))
    const first = EventSnapshot.parse(await (await api.get(`/runs/${id}/events?limit=3`)).json())
    expect(first).toMatchObject({ last_seq: 3, terminal: false, has_more: true })
    const rest = EventSnapshot.parse(await (await api.get(`/runs/${id}/events?after_seq=3`)).json())
    expect(rest.events.map((event) => event.seq)).toEqual([4, 5])
    expect(rest).toMatchObject({ last_seq: 5, has_more: false })
  })

  it.each(['-1', '1.5', 'x', '99999999999999999999'])('refuses after_seq=%s', async (afterSeq) => {
    const id = await admitTestRun(api)
    expect((await api.get(`/runs/${id}/events?after_seq=${afterSeq}`)).status).toBe(422)
  })
})

describe('artifacts', () => {
  it('lists them, downloads one as an attachment and serves the report as Markdown', async () => {
    const id = await admitTestRun(api)
    const report = '# Recovered\n'
    await finishTestRun(api, id, {
      step_id: 'act',
      ordinal: 1,
      state: 'succeeded',
      attempt: 1,
      artifacts: [
        {
          id: 'art_1',
          name: 'report.md',
          media_type: 'text/markdown',
          size_bytes: report.length,
          digest: `sha256:${'b'.repeat(64)}`,
          body_base64: Buffer.from(report).toString('base64'),
        },
      ],
    })
    const [artifact] = z
      .array(z.strictObject(Artifact.shape))
      .parse(await (await api.get(`/runs/${id}/artifacts`)).json())
    expect(artifact).toMatchObject({ name: 'report.md', run_id: id, step: 'act' })
    const download = await api.get(artifact?.links.download ?? '')
    expect(await download.text()).toBe(report)
    expect(download.headers.get('content-disposition')).toContain('attachment; filename="report.md"')
    expect(download.headers.get('x-content-type-options')).toBe('nosniff')
    const served = await api.get(`/runs/${id}/report`)
    expect([await served.text(), served.headers.get('content-type')]).toEqual([report, 'text/markdown; charset=utf-8'])
  })

  it('answers 404 for another name, another run and a run without a report', async () => {
    const id = await admitTestRun(api)
    for (const path of [
      `/runs/${id}/artifacts/download?name=x`,
      `/runs/${id}/report`,
      '/runs/run_00000000000000000000000000/artifacts',
    ]) {
      expect((await api.get(path)).status).toBe(404)
    }
  })
})

async function foreignRun(): Promise<string> {
  const workspace_id = 'ws_11111111111111111111111111'
  await database.db`insert into workspaces (id, slug, name) values (${workspace_id}, 'other', 'Other') on conflict do nothing`
  return admitTestRun(api, { workspace_id })
}
