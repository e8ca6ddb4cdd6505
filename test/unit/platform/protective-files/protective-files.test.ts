import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPack } from '#platform/packs/pack-loader.ts'
import { createProtectiveFiles } from '#platform/protective-files/protective-files.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, PACK_YAML, temporaryFolder } from '../packs/pack-folder.ts'

let folder: ReturnType<typeof temporaryFolder>
let read: ReturnType<typeof createProtectiveFiles>['read']

beforeEach(() => {
  folder = temporaryFolder()
  folder.write(Object.fromEntries(Object.entries(DEMO_PACK).map(([path, text]) => [`packs/${path}`, text])))
  const home = join(folder.root, 'home')
  read = createProtectiveFiles({
    home,
    policiesDir: join(home, 'policies'),
    packDirs: [join(folder.root, 'packs')],
    defaultsDir: join(home, 'none'),
  }).read
})
afterEach(() => folder.remove())

const stateOf = async () => (await read()).items.find(({ item }) => item === 'packs/demo')?.state
const load = () => loadPack(join(folder.root, 'packs/demo'), stubCatalog)

it('a pack is on record by the digest that its runs name, also when it declares it', async () => {
  const { pack } = load()
  expect(await stateOf()).toBe(pack?.digest)
  folder.write({ 'packs/demo/pack.yaml': `${PACK_YAML}digest: ${pack?.digest}\n` })
  expect(load().faults).toEqual([])
  expect(await stateOf()).toBe(pack?.digest)
  folder.write({ 'packs/demo/a/b/c.txt': 'deep', 'packs/demo/a.txt': 'beside', 'packs/demo/.hidden/x': 'not read' })
  folder.write({ 'packs/demo/pack.yaml': PACK_YAML })
  expect(await stateOf()).toBe(load().pack?.digest)
})

it('a pack that is not loaded because of a link is on record as what cannot be read', async () => {
  folder.write({ 'elsewhere/x.txt': 'outside' })
  symlinkSync(join(folder.root, 'elsewhere'), join(folder.root, 'packs/demo/linked'))
  expect(load().faults).toHaveLength(1)
  expect(await stateOf()).toBe('unreadable:demo/linked: this link leads out of the pack; copy the file into it')
})

it('reading what is known already lets others work meanwhile', async () => {
  await read()
  let turns = 0
  let timer = setImmediate(function turn() {
    turns += 1
    timer = setImmediate(turn)
  })
  await read()
  clearImmediate(timer)
  expect(turns).toBeGreaterThan(5)
})
