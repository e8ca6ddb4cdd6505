import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPackRegistry } from '#platform/packs/pack-registry.ts'
import { createScheduleSource } from '#platform/schedules/schedule-source.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, temporaryFolder } from '../packs/pack-folder.ts'

const log = { info: () => undefined, warn: () => undefined }
const follow = { poll_ms: 60_000 }
const LINE = '- { name: daily, cron: "@daily", pack: demo, template: hello }\n'
const BROKEN = `${LINE}- { name: broken, cron: "0 0 L * *", pack: demo, template: hello }\n`
let folder: ReturnType<typeof temporaryFolder>
let home: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder()
  home = temporaryFolder()
})
afterEach(() => {
  folder.remove()
  home.remove()
})

function open() {
  const packs = createPackRegistry({ dirs: [folder.root], catalog: stubCatalog, log, follow })
  const source = createScheduleSource({ packs, home: home.root, log, follow })
  return { packs, source }
}
const names = ({ source }: ReturnType<typeof open>) => source.declaredSchedules().map(({ name, line }) => [name, line])

test('a file that breaks keeps its last good version and is reported with line and column', () => {
  folder.write(DEMO_PACK)
  home.write({ 'schedules/a.yaml': LINE, 'schedules/b.yaml': `# one\n${LINE.replace('daily', 'other')}` })
  const opened = open()
  expect(names(opened)).toEqual([
    ['daily', 1],
    ['other', 2],
  ])
  home.write({ 'schedules/a.yaml': BROKEN })
  opened.source.reload()
  expect(names(opened)).toHaveLength(2)
  expect(opened.source.errors()).toMatchObject([{ file: 'schedules/a.yaml', line: 2, column: 30 }])
  expect(opened.source.unreadSources()).toEqual([])
})

test('a source of which something never could be read is told, so that nothing of it is withdrawn', () => {
  folder.write({ ...DEMO_PACK, 'demo/schedules/a.yaml': BROKEN })
  home.write({ 'schedules/a.yaml': BROKEN, 'schedules/b.yaml': LINE })
  const opened = open()
  expect(names(opened)).toEqual([['daily', 1]])
  expect(opened.source.unreadSources()).toEqual(['pack', 'skill', 'overlay'])
  folder.write({ 'demo/schedules/a.yaml': LINE })
  home.write({ 'schedules/a.yaml': LINE.replace('daily', 'mine') })
  opened.packs.reload()
  opened.source.reload()
  expect(names(opened)).toHaveLength(3)
  expect(opened.source.unreadSources()).toEqual([])
})
