import { beforeAll, describe, expect, test } from 'vitest'
import { type CloudEvent, cloudEvent } from '#core/bus/cloud-event.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Skill, SkillStart } from '#core/skill/skill.ts'
import type { BusMessage } from '#services/bus/bus.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { type FireSkillDeps, fireSkill } from '#services/skills/fire-skill.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { createAlertService } from './alerts-service.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
let deps: FireSkillDeps

const database = testDatabase()
beforeAll(async () => {
  deps = depsOf()
})

function depsOf(services: Partial<ServiceDeps> = {}): FireSkillDeps {
  const { ctx } = createAlertService(database.db)
  return {
    services: { ...ctx, clock: () => NOW, ...services },
    firings: createSkillFirings(database.db),
    workspaces: createWorkspaceDirectory(createWorkspaceStore(database.db), Date.now),
  }
}

function skill(name: string, start: Partial<SkillStart> = {}): Skill & { start: SkillStart } {
  return {
    id: `test/${name}`,
    name,
    description: 'A skill.',
    layer: 'pack',
    file: `test/skills/${name}/SKILL.md`,
    frontmatter: {},
    instructions: '',
    start: { pack: 'test', template: 'recover', inputs: {}, dry_run: false, on: ['run.failed'], ...start },
  }
}

function message(data: JsonObject = {}, changes: Partial<CloudEvent> = {}): BusMessage {
  const event = {
    ...cloudEvent({
      id: ids.next('message'),
      source: 'svc/runs',
      type: 'run.failed',
      time: new Date(NOW).toISOString(),
      workspace_id: DEFAULT_WORKSPACE_ID,
      data,
    }),
    ...changes,
  }
  return {
    id: event.id,
    topic: event.type,
    workspace_id: event.workspaceid,
    event,
    attempt: 1,
    redelivered: false,
  }
}

async function admitted(provenance: JsonObject): Promise<string> {
  const draft = runDraft({ provenance })
  await deps.services.runs.admit([draft])
  return draft.id
}

const runOf = async (id: string | undefined) => {
  const [row] = await database.db<
    { workspace_id: string; lane: string; inputs: JsonObject; dry_run: boolean; provenance: JsonObject }[]
  >`select workspace_id, lane, inputs, dry_run, provenance from runs where id = ${id ?? ''}`
  return row
}
const runsOf = async (name: string) =>
  await database.db`select id from runs where provenance #>> '{trigger,skill}' = ${`test/${name}`}`
const recorded = async (name: string) =>
  await database.db`select outcome, reason from skill_firings where skill = ${`test/${name}`}`

describe('an event that a skill receives', () => {
  test('of a dry run starts a dry run', async () => {
    const firing = await fireSkill(deps, skill('rehearsed'), message({ dry_run: true }))
    expect(await runOf(firing.run_id)).toMatchObject({ dry_run: true })
    const real = await fireSkill(deps, skill('real'), message({ dry_run: false }))
    expect(await runOf(real.run_id)).toMatchObject({ dry_run: false })
  })

  test('starts its run in the background, with everything that led to it', async () => {
    const parent = await admitted({ human_root: { user_id: 'usr_somebody', via: ['api'] } })
    const greet = skill('greet', { inputs: { url: `$\{{ event.data.url }}` }, dry_run: true })
    const received = message({ run_id: parent, url: 'http://a.test' })
    const firing = await fireSkill(deps, greet, received)
    expect(firing.outcome).toBe('started')
    expect(await runOf(firing.run_id)).toMatchObject({
      workspace_id: DEFAULT_WORKSPACE_ID,
      lane: 'background',
      inputs: { url: 'http://a.test' },
      dry_run: true,
      provenance: {
        trigger: {
          type: 'bus',
          bus_message_id: received.id,
          topic: 'run.failed',
          skill: 'test/greet',
          parent_run_id: parent,
          chain: ['test/greet'],
        },
        actor: { type: 'system', id: 'skill:test/greet' },
        human_root: { user_id: 'usr_somebody', via: ['api', 'skill:test/greet', 'bus'] },
      },
    })
  })

  test('starts one run however often, and by however many at once, it is delivered', async () => {
    const received = message()
    const once = skill('once')
    const firings = await Promise.all(Array.from({ length: 8 }, () => fireSkill(deps, once, received)))
    firings.push(await fireSkill(depsOf(), once, { ...received, redelivered: true }))
    expect(new Set(firings.map(({ run_id }) => run_id)).size).toBe(1)
    expect(firings.every(({ outcome }) => outcome === 'started')).toBe(true)
    expect(await runsOf('once')).toHaveLength(1)
  })

  test('starts one run although the process died before it could note it', async () => {
    const received = message()
    const forgetful = { ...deps, firings: { ...deps.firings, settle: () => Promise.reject(new Error('killed')) } }
    await expect(fireSkill(forgetful, skill('killed'), received)).rejects.toThrow('killed')
    expect(await fireSkill(deps, skill('killed'), received)).toMatchObject({ outcome: 'started' })
    expect(await runsOf('killed')).toHaveLength(1)
  })

  test('is tried again when only the way was closed', async () => {
    const received = message()
    const runs = { ...deps.services.runs, admit: () => Promise.reject(new Error('connection lost')) }
    await expect(fireSkill(depsOf({ runs }), skill('later'), received)).rejects.toThrow('connection lost')
    expect(await fireSkill(deps, skill('later'), received)).toMatchObject({ outcome: 'started' })
  })

  test('starts runs in its own workspace, and the same event of another is another', async () => {
    const other = ids.next('workspace')
    await addWorkspace(database, other, 'other')
    const received = message()
    const theirs = message({}, { ...received.event, workspaceid: other })
    const both = [await fireSkill(deps, skill('twice'), received), await fireSkill(deps, skill('twice'), theirs)]
    const workspaces = await Promise.all(both.map(async ({ run_id }) => (await runOf(run_id))?.workspace_id))
    expect(workspaces).toEqual([DEFAULT_WORKSPACE_ID, other])
  })

  test('knows nothing of a run of another workspace', async () => {
    const other = ids.next('workspace')
    await addWorkspace(database, other, 'stranger')
    const parent = await admitted({ human_root: { user_id: 'usr_somebody', via: [] } })
    const { run_id } = await fireSkill(deps, skill('blind'), message({ run_id: parent }, { workspaceid: other }))
    expect(JSON.stringify(await runOf(run_id))).not.toContain('usr_somebody')
  })
})

describe('an event that starts nothing is recorded and not tried again', () => {
  test.each<[string, Partial<SkillStart>, string, string]>([
    ['denied', { template: 'forbidden' }, 'denied', 'never: not here'],
    ['gone', { template: 'gone' }, 'invalid', 'there is no template test/gone'],
    ['unfit', { inputs: { url: '' } }, 'invalid', 'the inputs do not fit the template'],
    ['absent', { inputs: { url: `$\{{ event.data.nothing }}` } }, 'invalid', 'nothing'],
    ['nowhere', { environment: 'nowhere' }, 'invalid', 'there is no environment nowhere'],
  ])('%s', async (name, start, outcome, reason) => {
    const received = message()
    expect(await fireSkill(deps, skill(name, start), received)).toMatchObject({ outcome })
    // mended meanwhile, and delivered again
    expect(await fireSkill(deps, skill(name), received)).toEqual({ outcome })
    expect(await runsOf(name)).toEqual([])
    const [row] = await recorded(name)
    expect(row?.['reason']).toContain(reason)
  })

  test('because it is older than a day', async () => {
    const stale = message({}, { time: new Date(NOW - 25 * 3_600_000).toISOString() })
    expect(await fireSkill(deps, skill('stale'), stale)).toMatchObject({ outcome: 'suppressed' })
  })

  test('because nobody works in its workspace any more', async () => {
    const archived = ids.next('workspace')
    await addWorkspace(database, archived, 'archived')
    await database.db`update workspaces set status = 'archived', archived_at = now() where id = ${archived}`
    expect(await fireSkill(deps, skill('late'), message({}, { workspaceid: archived }))).toMatchObject({
      outcome: 'suppressed',
    })
  })
})

test('a skill that receives events of its own runs is stopped after three, and the audit says so', async () => {
  const echo = skill('echo')
  let parent: string | undefined
  const outcomes: string[] = []
  for (let round = 0; round < 5; round += 1) {
    const { outcome, run_id } = await fireSkill(deps, echo, message(parent === undefined ? {} : { run_id: parent }))
    outcomes.push(outcome)
    parent = run_id ?? parent
  }
  expect(outcomes).toEqual(['started', 'started', 'started', 'suppressed', 'suppressed'])
  const audited = await database.db<{ draft: JsonObject }[]>`
    select draft from audit_outbox where draft ->> 'action' = 'skill.suppressed'`
  expect(audited).toHaveLength(2)
  expect(audited[0]?.draft).toMatchObject({ run_id: parent, subject: { type: 'skill', id: 'test/echo' } })
})

test('a skill that is stopped is on record once, although it was noted late and by many', async () => {
  const parent = await admitted({ trigger: { type: 'bus', chain: ['test/loud', 'test/loud', 'test/loud'] } })
  const received = message({ run_id: parent })
  const killed = { ...deps, firings: { ...deps.firings, settle: () => Promise.reject(new Error('killed')) } }
  await expect(fireSkill(killed, skill('loud'), received)).rejects.toThrow('killed')
  await Promise.all(Array.from({ length: 8 }, () => fireSkill(deps, skill('loud'), received)))
  expect(await recorded('loud')).toMatchObject([{ outcome: 'suppressed' }])
  expect(
    await database.db`
      select from audit_outbox where draft ->> 'action' = 'skill.suppressed' and draft #>> '{subject,id}' = 'test/loud'`,
  ).toHaveLength(1)
})

test('what can no longer be delivered again is forgotten', async () => {
  await fireSkill(deps, skill('old'), message())
  await database.db`update skill_firings set claimed_at = now() - interval '31 days' where skill = 'test/old'`
  await deps.firings.purge()
  expect(await recorded('old')).toEqual([])
})
