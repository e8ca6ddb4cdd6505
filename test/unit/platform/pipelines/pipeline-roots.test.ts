import { afterEach, expect, it } from 'vitest'
import { pipelineRoots } from '#platform/pipelines/pipeline-roots.ts'
import { temporaryFolder } from '../packs/pack-folder.ts'

const folder = temporaryFolder()
afterEach(folder.remove)

it('the deployment goes first, then each pack once, of the first directory that has it', () => {
  folder.write({
    'a/db/pack.yaml': '',
    'b/db/pack.yaml': '',
    'b/shop/pack.yaml': '',
    'b/.git/x': '',
    'b/README.md': '',
  })
  const { root } = folder
  const packDirs = [`${root}/a`, `${root}/b`, `${root}/absent`]
  const packs = [
    { pack: 'db', directory: `${root}/a/db/pipelines`, confines: `${root}/a/db`, shown: 'db/pipelines' },
    { pack: 'shop', directory: `${root}/b/shop/pipelines`, confines: `${root}/b/shop`, shown: 'shop/pipelines' },
  ]
  expect(pipelineRoots({ packDirs })).toEqual(packs)
  const own = { directory: `${root}/own`, confines: `${root}/own`, shown: 'pipelines' }
  expect(pipelineRoots({ pipelinesDir: `${root}/own`, packDirs })).toEqual([own, ...packs])
})
