import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Skill } from '#core/skill/skill.ts'
import { SkillStarter } from '#core/skill/starter-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('listSkills')

const OTHER = 'ws_00000000000000000000000001'
const BASE = { description: 'What it does', layer: 'pack' as const, frontmatter: {}, instructions: '' }
const START = { pack: 'incident', template: 'service-recovery', inputs: {}, dry_run: false, on: [] }
const SKILLS: Skill[] = [
  { ...BASE, id: 'incident/retry', name: 'retry', file: 'retry/SKILL.md', start: { ...START, on: ['run.failed'] } },
  {
    ...BASE,
    id: 'incident/nightly',
    name: 'nightly',
    file: 'nightly/SKILL.md',
    start: { ...START, cron: { cron: '0 6 * * *', timezone: 'UTC' } },
  },
  { ...BASE, id: 'incident/read-only', name: 'read-only', file: 'read-only/SKILL.md' },
]

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
const api = testApi(database, { content: { skills: { list: () => SKILLS, errors: () => [] } } })

const list = async (path = '/triggers/skills') => z.array(SkillStarter).parse(await (await api.get(path)).json())

describe('GET /triggers/skills', () => {
  it('lists what starts runs, when and in whose name, and nothing that is only read', async () => {
    expect(await list()).toEqual([
      {
        ...{ id: 'incident/nightly', description: 'What it does', layer: 'pack', file: 'nightly/SKILL.md', on: [] },
        ...{ run: 'incident/service-recovery', dry_run: false, schedule: 'incident.nightly' },
      },
      {
        ...{ id: 'incident/retry', description: 'What it does', layer: 'pack', file: 'retry/SKILL.md' },
        ...{ run: 'incident/service-recovery', dry_run: false, on: ['run.failed'], account: 'skill:incident/retry' },
      },
    ])
  })

  it('says what the last event came to in this workspace, and tells another neither that nor the clock', async () => {
    const firing = (key: string, outcome: string, at: string) => database.db`
      insert into skill_firings (skill, workspace_id, event_key, message_id, topic, run_id, outcome, reason, claimed_at, settled_at)
      values ('incident/retry', 'ws_00000000000000000000000000', ${key}, ${key}, 'run.failed', 'run_1', ${outcome}, 'a freeze', ${at}, ${at})`
    await firing('one', 'started', '2026-01-01T00:00:00Z')
    await firing('two', 'frozen', '2026-01-02T00:00:00Z')
    expect((await list())[1]?.last).toEqual({
      at: '2026-01-02T00:00:00.000Z',
      topic: 'run.failed',
      outcome: 'frozen',
      reason: 'a freeze',
    })
    const theirs = await list(`/workspaces/${OTHER}/triggers/skills`)
    expect(theirs.map(({ id }) => id)).toEqual(['incident/retry'])
    expect(theirs[0]).not.toHaveProperty('last')
  })
})
