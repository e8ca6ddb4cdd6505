import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { Run } from '#core/run/schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listRuns')

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

async function foreignRun(): Promise<string> {
  const workspace_id = 'ws_11111111111111111111111111'
  await database.db`insert into workspaces (id, slug, name) values (${workspace_id}, 'other', 'Other') on conflict do nothing`
  return admitTestRun(api, { workspace_id })
}
