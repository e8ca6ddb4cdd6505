import { expect, test } from 'vitest'
import { z } from 'zod'
import { PipelineBundle } from '#core/pipeline/schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listPipelineBundles')

test('shows what can be started, and why the rest cannot', async () => {
  const { api, as } = await sharedWorld()
  const bundles = z
    .array(PipelineBundle)
    .parse(await (await api.get('/console/api/pipeline-bundles', as('viewer'))).json())
  expect(bundles.map(({ path, pipelines }) => [path, pipelines.map(({ name }) => name)])).toEqual([
    ['broken', []],
    ['guard', ['manual', 'approval', 'later', 'heard', 'race', 'once']],
  ])
  const [broken, guard] = bundles
  expect(broken?.faults).toEqual([expect.stringMatching(/^.*pipeline\.yaml:6:\d+: there is no template/)])
  expect(guard).toMatchObject({
    digest: expect.stringMatching(/^sha256:/),
    faults: [],
    pipelines: [
      { steps: [{ id: 'hold', uses: 'incident/service-recovery', kind: 'run', needs: [] }] },
      {},
      {},
      {},
      {},
      {},
    ],
  })
})
