import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Artifact } from '#core/run/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('downloadArtifact')

const database = testDatabase()
const api = testApi(database)

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
