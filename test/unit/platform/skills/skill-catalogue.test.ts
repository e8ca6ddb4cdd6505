import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { createPackRegistry, type PackRegistry } from '#platform/packs/pack-registry.ts'
import { createScheduleSource } from '#platform/schedules/schedule-source.ts'
import { createSkillCatalogue, type SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import { stubCatalog } from '../../core/plan/stub-catalog.ts'
import { DEMO_PACK, PACK_YAML, temporaryFolder } from '../packs/pack-folder.ts'

const log = { info: () => undefined, warn: () => undefined }
let folder: ReturnType<typeof temporaryFolder>
let home: ReturnType<typeof temporaryFolder>
let packs: PackRegistry
let skills: SkillCatalogue

const skill = (name: string, more = 'on: [run.failed]\nrun: demo/hello\ninputs: { url: "http://a.test" }') =>
  `---\nname: ${name}\ndescription: A skill.\n${more}\n---\n`

beforeEach(() => {
  folder = temporaryFolder()
  home = temporaryFolder()
  folder.write({ ...DEMO_PACK, 'demo/skills/greet/SKILL.md': skill('greet') })
  const follow = { poll_ms: 60_000 }
  packs = createPackRegistry({ dirs: [folder.root], catalog: stubCatalog, log, follow })
  skills = createSkillCatalogue({ packs, home: home.root, log, follow })
})
afterEach(() => {
  skills.close()
  packs.close()
  folder.remove()
  home.remove()
})

const ids = () => skills.list().map(({ id }) => id)
const problems = () => skills.errors().map(faultText)

describe('createSkillCatalogue', () => {
  it('has the skills of packs and those of the deployment', () => {
    home.write({ 'skills/local/SKILL.md': skill('local') })
    skills.reload()
    expect(ids()).toEqual(['demo/greet', 'overlay/local'])
    expect(skills.find('overlay/local')).toMatchObject({ layer: 'overlay', file: 'skills/local/SKILL.md' })
  })

  it('lets the deployment replace a skill of a pack by its name, and a broken one replaces it too', () => {
    home.write({ 'skills/greet/SKILL.md': skill('greet', 'enabled: false') })
    skills.reload()
    expect(ids()).toEqual(['overlay/greet'])
    expect(skills.find('overlay/greet')).not.toHaveProperty('start')
    home.write({ 'skills/greet/SKILL.md': skill('greet', 'run: demo/nope') })
    skills.reload()
    expect(ids()).toEqual([])
    expect(problems()).toEqual(['skills/greet/SKILL.md:4:6: there is no template demo/nope'])
  })

  it('drops a broken skill, and neither its pack nor the other skills of it', () => {
    folder.write({ 'demo/skills/broken/SKILL.md': skill('broken', 'cron: never') })
    packs.reload()
    expect(ids()).toEqual(['demo/greet'])
    expect(problems().join()).toContain('demo/skills/broken/SKILL.md:4:1: cron needs run: pack/template')
    expect(packs.errors()).toEqual([])
    expect(packs.findTemplate('demo', 'hello')).toBeDefined()
  })

  it('never lets an older version stand in for a broken one', () => {
    expect(ids()).toEqual(['demo/greet'])
    folder.write({ 'demo/skills/greet/SKILL.md': skill('greet', 'on: [run.failed]') })
    packs.reload()
    expect(ids()).toEqual([])
  })

  it('misses a SKILL.md in a folder of skills', () => {
    folder.write({ 'demo/skills/empty/notes.md': 'nothing' })
    packs.reload()
    expect(problems()).toEqual(['demo/skills/empty/SKILL.md: the file is missing, empty or not readable'])
  })

  it('starts templates of other packs, and is judged again whenever a pack changes', () => {
    folder.write({ 'other/pack.yaml': PACK_YAML.replace('demo', 'other'), 'other/skills/far/SKILL.md': skill('far') })
    packs.reload()
    expect(ids()).toEqual(['demo/greet', 'other/far'])
    rmSync(join(folder.root, 'demo'), { recursive: true })
    packs.reload()
    expect(ids()).toEqual([])
    expect(problems()).toEqual(['other/skills/far/SKILL.md:5:6: there is no template demo/hello'])
    folder.write(DEMO_PACK)
    packs.reload()
    expect(ids()).toEqual(['other/far'])
  })

  it('has its crons among the declared schedules, and those of broken skills no longer', () => {
    const cron = 'cron: 0 6 1 * 1\ndays: or\ntimezone: Europe/Berlin\nrun: demo/hello\ndry_run: true\n'
    home.write({ 'skills/weekly/SKILL.md': skill('weekly', `${cron}inputs: { url: "http://a.test" }`) })
    skills.reload()
    const schedules = createScheduleSource({ packs, skills, home: home.root, log, follow: { poll_ms: 60_000 } })
    const declared = schedules.declaredSchedules()
    expect(declared).toMatchObject([
      {
        name: 'overlay.weekly',
        source: 'skill',
        cron: '0 6 1 * 1',
        days: 'or',
        timezone: 'Europe/Berlin',
        pack: 'demo',
        template: 'hello',
        inputs: { url: 'http://a.test' },
        dry_run: true,
        enabled: true,
      },
    ])
    home.write({ 'skills/weekly/SKILL.md': skill('weekly', `${cron}inputs: {}`) })
    skills.reload()
    expect(schedules.declaredSchedules()).toEqual([])
    schedules.close()
  })

  it('sees a new skill of the deployment by itself, and tells anyone who listens', async () => {
    skills.close()
    skills = createSkillCatalogue({ packs, home: home.root, log, follow: { poll_ms: 10 } })
    const seen = new Promise<void>((resolve) => skills.onChange(resolve))
    home.write({ 'skills/late/SKILL.md': skill('late') })
    await seen
    expect(ids()).toContain('overlay/late')
  })
})
