import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Skill, SkillStart } from '#core/skill/skill.ts'
import { createEnvironmentSource, type EnvironmentSource } from '#platform/environments/environment-source.ts'
import { createIds } from '#platform/ids.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import { fireSkill } from '#services/skills/fire-skill.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { storeAt } from '#test/support/schedule-store.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { finishTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

const PAYMENTS = createIds().next('workspace')
const TEMPLATE = { pack: 'incident', template: 'service-recovery' }
const FOREIGN = 'pay-prod'
const MISSING = 'no-such0'
const log = { info: () => undefined, warn: () => undefined }

const rule = (on: string, name: string) =>
  `- { name: ${on}-${name}, on: ${on}, match: { service: ${name} }, run: incident/service-recovery, environment: ${name} }\n`
const FILES = {
  'environments/pay-prod.yaml': 'name: pay-prod\nclass: development\nworkspaces: [payments]\n',
  'rules/all.yaml': ['alert', 'pattern'].flatMap((on) => [rule(on, FOREIGN), rule(on, MISSING)]).join(''),
}

let home: string
let database: TestDatabase
let environments: EnvironmentSource
let api: TestApi
/** one of the default workspace, and one of payments */
let ours: Record<string, string>
let theirs: Record<string, string>
let names = 0

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-grants-'))
  for (const [file, text] of Object.entries(FILES)) write(file, text)
  environments = createEnvironmentSource({ home, log, follow: { poll_ms: 60_000 } })
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database, {
    secret: SECRET,
    content: { environments },
    services: { engine: { start: async () => {}, decide: never, cancel: never, alive: never } },
    intake: { inbox: createTestInbox(database) },
  })
  await addWorkspace(database, PAYMENTS, 'payments')
  ours = await bearer(api.deps, await addUser(api.deps, { roles: ['operator'] }))
  theirs = await bearer(api.deps, await addUser(api.deps, { roles: ['operator'], workspaces: [PAYMENTS] }))
})
afterAll(async () => {
  await api?.close()
  environments?.close()
  await database?.drop()
  rmSync(home, { recursive: true })
})

const never = () => Promise.reject(new Error('not here'))

function write(file: string, text: string): void {
  mkdirSync(join(home, file, '..'), { recursive: true })
  writeFileSync(join(home, file), text)
}

const fresh = () => {
  names += 1
  return `n-${names}`
}
const event = (service: string) => ({ source: 'generic', service, symptom: `Down ${fresh()}` })

/** Every request by which somebody may ask for a run in an environment. */
const REQUESTS: Record<string, (environment: string) => [path: string, body: object]> = {
  'a direct run': (environment) => ['/packs/incident/service-recovery/run', { inputs: {}, environment }],
  'a run by hand': (environment) => ['/triggers/manual', { ...TEMPLATE, inputs: {}, environment }],
  'an alert by a rule': (environment) => ['/triggers/alert?source=generic', event(environment)],
  'a pattern by a rule': (environment) => [
    '/triggers/pattern',
    { pattern: `Leak ${fresh()}`, service: environment, evidence: [] },
  ],
  'a schedule': (environment) => [
    '/triggers/scheduled',
    { ...TEMPLATE, name: fresh(), cron: '0 0 1 1 *', inputs: {}, environment },
  ],
}

async function ask(
  requestOf: (environment: string) => [string, object],
  environment: string,
  who: Record<string, string>,
) {
  const [path, body] = requestOf(environment)
  const answer = await api.post(path, body, who)
  await api.settled()
  const text = await answer.text()
  const plain = text
    .replaceAll(environment, 'X')
    .replace(/"request_id":"[^"]+"/, '')
    .replace(/n-\d+/g, 'n')
    .replace(/[0-9a-f]{64}/g, 'digest')
    .replace(/(run|dlv|sch)_[0-9a-z]{26}/g, '$1')
  return { status: answer.status, plain, text }
}

describe('an environment of another workspace', () => {
  test.each(Object.entries(REQUESTS))('answers through %s exactly like one that there is not', async (_, requestOf) => {
    const [foreign, missing] = [await ask(requestOf, FOREIGN, ours), await ask(requestOf, MISSING, ours)]
    expect([foreign.status, foreign.plain]).toEqual([missing.status, missing.plain])
    expect(foreign.text).toMatch(/there is no environment|denied|failed/)
    expect(
      await database.db`select id from runs where environment = ${FOREIGN} and workspace_id = ${DEFAULT_WORKSPACE_ID}`,
    ).toEqual([])
  })

  test.each(Object.entries(REQUESTS))('is there for its own through %s', async (_, requestOf) => {
    const { status, text } = await ask(requestOf, FOREIGN, theirs)
    expect([200, 201, 202], text).toContain(status)
    expect(text).not.toMatch(/there is no environment|denied|failed/)
  })

  test('is no hint for a name that is nearly its own', async () => {
    const near = await api.post('/triggers/manual', { ...TEMPLATE, inputs: {}, environment: 'pay-prd' }, ours)
    expect(await near.text()).not.toContain(FOREIGN)
    const own = await api.post('/triggers/manual', { ...TEMPLATE, inputs: {}, environment: 'pay-prd' }, theirs)
    expect(await own.text()).toContain('; did you mean pay-prod?')
  })

  test('is nothing that an admin of one workspace could halt by name, and no run of others makes it so', async () => {
    expect(await database.db`select id from runs where environment = ${FOREIGN} limit 1`).toHaveLength(1)
    const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'] }))
    const halt = async (environment: string) => {
      const scope = { workspace: DEFAULT_WORKSPACE_ID, environment }
      const answer = await api.post('/console/api/halts', { scope, reason: 'a drill' }, admin)
      return [answer.status, (await answer.text()).replaceAll(environment, 'X').replace(/"request_id":"[^"]+"/, '')]
    }
    expect(await halt(FOREIGN)).toEqual(await halt(MISSING))
  })

  test('is not named by a halt of it, to whom it is not there', async () => {
    const owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
    const set = await api.post('/console/api/halts', { scope: { environment: FOREIGN }, reason: 'a drill' }, owner)
    expect(set.status).toBe(201)
    for (const path of ['/console/api/halts', '/healthz?verbose']) {
      expect(await (await api.get(path, ours)).text()).not.toContain(FOREIGN)
      expect(await (await api.get(path, theirs)).text()).toContain(FOREIGN)
      expect(await (await api.get(path, owner)).text()).toContain(FOREIGN)
    }
    const { id } = (await set.json()) as { id: string }
    expect((await api.app.request(`/console/api/halts/${id}`, { method: 'DELETE', headers: owner })).status).toBe(204)
  })

  test('does not show in the state of the deployment, however broken it is', async () => {
    const dark = 'name: pay-dark\nclass: nonsense\n'
    write('environments/pay-dark.yaml', dark)
    write('environments/pay-prod.yaml', 'name: pay-prod\nworkspaces: [payments]\nclass: nonsense\n')
    environments.reload()
    const verbose = async (who: Record<string, string>) =>
      JSON.stringify(
        ((await (await api.get('/healthz?verbose', who)).json()) as { environments: string[] }).environments,
      )
    expect(await verbose(ours)).toContain('pay-dark')
    expect(await verbose(ours)).not.toContain(FOREIGN)
    expect(await verbose(theirs)).toContain(FOREIGN)
    expect(await verbose(theirs)).not.toContain('pay-dark')
    write('environments/pay-dark.yaml', 'name: pay-dark\n')
    write('environments/pay-prod.yaml', FILES['environments/pay-prod.yaml'])
    environments.reload()
    const none = 'workspace payments: there is no environment development, which its runs take that name none'
    expect(JSON.parse(await verbose(theirs))).toEqual([none])
    expect(await verbose(ours)).toBe('[]')
  })
})

describe('a grant that was taken away', () => {
  const firing = (schedule_id: string, nominal: number) =>
    fireSchedule(
      {
        services: { ...api.deps.services, clock: () => nominal },
        store: storeAt(api.deps.reads.schedules.store, () => nominal),
        workspaces: api.deps.workspaces,
        claims: createRecordDeps(database.db),
      },
      { schedule_id, workspace_id: PAYMENTS, nominal_at: new Date(nominal).toISOString() },
    )

  test('stops a schedule at its next time, and the schedule says why', async () => {
    const draft = { ...TEMPLATE, name: fresh(), cron: '* * * * *', inputs: {}, environment: FOREIGN }
    const made = await api.post('/triggers/scheduled', draft, theirs)
    const { id } = (await made.json()) as { id: string }
    await database.db`
      update schedules set updated_at = updated_at - interval '1 hour', accounted_until = accounted_until - interval '1 hour'
      where id = ${id}`
    const minute = Math.floor(Date.now() / 60_000) * 60_000 - 120_000
    const { run_id } = (await firing(id, minute)) as { run_id: string }
    await finishTestRun(api, run_id)
    write('environments/pay-prod.yaml', 'name: pay-prod\nclass: development\nworkspaces: [lab]\n')
    environments.reload()
    expect(await firing(id, minute + 60_000)).toMatchObject({
      outcome: 'invalid',
      reason:
        'there is no environment pay-prod that the workspace payments may use, nor any other: add it to `workspaces` of an environment, in the console or in its file',
    })
  })

  test('stops a skill that answers an event', async () => {
    const start: SkillStart = { ...TEMPLATE, inputs: {}, dry_run: false, on: ['run.failed'], environment: FOREIGN }
    const skill: Skill & { start: SkillStart } = {
      id: 'test/answer',
      name: 'answer',
      description: 'A skill.',
      layer: 'pack',
      file: 'test/skills/answer/SKILL.md',
      frontmatter: {},
      instructions: '',
      start,
    }
    const deps = {
      services: api.deps.services,
      firings: createSkillFirings(database.db),
      workspaces: api.deps.workspaces,
    }
    const message = (id: string) => ({
      id,
      topic: 'run.failed',
      workspace_id: PAYMENTS,
      redelivered: false,
      attempt: 1,
      event: {
        specversion: '1.0' as const,
        id,
        source: 'svc/runs',
        type: 'run.failed',
        time: new Date().toISOString(),
        datacontenttype: 'application/json' as const,
        workspaceid: PAYMENTS,
        data: {},
      },
    })
    expect(await fireSkill(deps, skill, message('1'))).toMatchObject({
      reason:
        'there is no environment pay-prod that the workspace payments may use, nor any other: add it to `workspaces` of an environment, in the console or in its file',
    })
    write('environments/pay-prod.yaml', FILES['environments/pay-prod.yaml'])
    environments.reload()
    expect(await fireSkill(deps, skill, message('2'))).toMatchObject({ outcome: 'started' })
  })
})
