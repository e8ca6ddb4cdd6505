import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Artifact } from '#core/run/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { connectBucket, keptArtifact } from '#test/support/kept-objects.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { type S3Server, startS3Server } from '#test/support/s3-server.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('downloadArtifact')

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
})
const api = testApi(database, () => ({ content: { environments: opened.environments } }))

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

describe('an artifact in a bucket', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
    await connectBucket(database, server)
  })
  afterAll(() => server.close())

  const kept = (text = '# Recovered\n', name = 'bericht ü.md') => keptArtifact(api, database, { text, name })

  it('is downloaded by a redirect that is good for a minute, with its digest and under its name', async () => {
    const { path, text, digest } = await kept()
    const answer = await api.get(path)
    expect([answer.status, await answer.text(), answer.headers.get('x-svc-digest')]).toEqual([302, '', digest])
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ])
    const url = new URL(answer.headers.get('location') ?? '')
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60')
    const download = await fetch(url)
    expect(await download.text()).toBe(text)
    expect(download.headers.get('content-disposition')).toBe(
      `attachment; filename="bericht__.md"; filename*=UTF-8''bericht%20%C3%BC.md`,
    )
  })

  it('is answered by the service itself where that is asked for', async () => {
    const { id, path, text, digest } = await kept('# Said\n', 'report.md')
    const answer = await api.get(`${path}&redirect=false`)
    expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([200, text, `"${digest}"`])
    const list = await (await api.get(`/runs/${id}/artifacts`)).text()
    expect(list).not.toContain('svc/')
  })

  it('that somebody has swapped is handed out in no way', async () => {
    const { path, key, digest } = await kept('# Kept\n')
    server.swap(key, '# Swap\n')
    for (const each of [path, `${path}&redirect=false`]) {
      const answer = await api.get(each)
      expect(answer.headers.get('location')).toBeNull()
      expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'artifact_mismatch', digest }])
    }
  })

  it('that cannot be read now is told as such', async () => {
    const { path } = await kept()
    server.refuse({ status: 503, code: 'SlowDown' })
    const answer = await api.get(path)
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'dependency_unavailable' }])
  })

  it('whose connection is gone says which one', async () => {
    const { id, path } = await kept()
    await database.db`update artifacts set object_connection = 'gone' where run_id = ${id}`
    for (const each of [path, `${path}&redirect=false`]) {
      const answer = await api.get(each)
      const detail = expect.stringContaining('connection gone')
      expect([answer.status, await answer.json()]).toMatchObject([501, { code: 'not_configured', detail }])
    }
  })

  it('of another workspace is not there', async () => {
    const { path } = await kept()
    await addWorkspace(database, 'ws_0000000000000000000000000b', 'other')
    const asked = server.requests.length
    expect((await api.get(path, { 'x-svc-workspace': 'other' })).status).toBe(404)
    expect(server.requests).toHaveLength(asked)
  })
})
