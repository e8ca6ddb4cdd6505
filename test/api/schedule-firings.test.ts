import { expect, test } from 'vitest'
import type { Actor } from '#core/actor.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import { ClaimRefused } from '#services/approvals/refuse-claim.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import type { ScheduleStore } from '#store/schedules/schedules.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createTestApi } from '../support/api-client.ts'
import { createRecordDeps } from '../support/record-engine.ts'
import { ids } from '../support/run-drafts.ts'
import { storeAt } from '../support/schedule-store.ts'

const NOMINAL = '2026-03-28T12:00:00Z'
let names = 0

const database = testDatabase()
const api = testApi(database, { services: { clock: () => Date.parse(NOMINAL) } })

async function make(fields: object = {}, by = api): Promise<string> {
  names += 1
  const draft = { name: `s-${names}`, cron: '*/10 * * * *', pack: 'incident', template: 'service-recovery', ...fields }
  const answer = await by.post('/triggers/scheduled', draft)
  return CreatedSchedule.parse(await answer.json()).id
}
const fire = (
  schedule_id: string,
  changes: Partial<ServiceDeps> = {},
  nominal_at = NOMINAL,
  workspace_id = DEFAULT_WORKSPACE_ID,
  store: Partial<ScheduleStore> = {},
) =>
  fireSchedule(
    {
      services: { ...api.deps.services, ...changes },
      store: { ...storeAt(api.deps.reads.schedules.store, () => Date.parse(NOMINAL)), ...store },
      workspaces: api.deps.workspaces,
      claims: createRecordDeps(database.db),
    },
    { schedule_id, workspace_id, nominal_at },
  )
const runsOf = (id: string) =>
  database.db<{ id: string }[]>`select id from runs where provenance #>> '{trigger,schedule_id}' = ${id}`
const firingsOf = (id: string) => database.db`select from schedule_firings where schedule_id = ${id}`
const claimsOf = async (id: string) =>
  (
    await database.db<{ draft: { subject: object; data: { kind: string } } }[]>`
      select draft from audit_outbox where draft ->> 'action' = 'claim.refused' and draft #>> '{subject,id}' = ${id} order by id`
  ).map(({ draft }) => draft)
const auditOf = (id: string, action: string) =>
  database.db`select from audit_outbox where draft ->> 'action' = ${action} and draft -> 'actor' ->> 'id' = ${id}`

test('a time fires once, however many repeat it at once', async () => {
  const id = await make()
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => fire(id)))
  const runs = await runsOf(id)
  expect(runs).toHaveLength(1)
  expect(results.some((each) => each.status === 'fulfilled')).toBe(true)
  expect(await fire(id)).toEqual({ kind: 'done', outcome: 'started', run_id: runs[0]?.id })
})

test('a worker that dies between its claim and the run leaves the run to the repeat, under the same id', async () => {
  const id = await make()
  const claim = await api.deps.reads.schedules.store.claim(id, NOMINAL, api.deps.services.ids.next('run'))
  expect(claim.state).toBe('claimed')
  expect(await fire(id)).toMatchObject({ outcome: 'started', run_id: claim.state === 'claimed' ? claim.run_id : '' })
  expect(await runsOf(id)).toHaveLength(1)
})

test('a time that fires late, is paused, or is none of the schedule starts nothing', async () => {
  const id = await make()
  expect(await fire(id, {}, '2026-03-28T11:30:00Z')).toMatchObject({ outcome: 'missed', reason: 'late' })
  // an older version of the schedule may have had that time
  expect(await fire(id, {}, '2026-03-28T11:59:00Z')).toMatchObject({ outcome: 'ignored' })
  const paused = await make({ enabled: false })
  expect(await fire(paused)).toMatchObject({ outcome: 'skipped', reason: 'paused' })
  expect([...(await runsOf(id)), ...(await runsOf(paused))]).toEqual([])
})

test('a template that is gone is an outcome on the schedule and on the audit record, and is not tried again', async () => {
  const id = await make()
  const packs = { ...api.deps.services.packs, findTemplate: () => undefined }
  const refused = { kind: 'done', outcome: 'invalid', reason: 'there is no template incident/service-recovery' }
  expect(await fire(id, { packs })).toEqual(refused)
  expect(await fire(id)).toEqual(refused)
  expect(await auditOf(id, 'schedule.refused')).toHaveLength(1)
  const listed = (await (await api.get('/triggers/scheduled?limit=200')).json()) as { id: string; last_fire?: object }[]
  expect(listed.find((each) => each.id === id)?.last_fire).toMatchObject({
    nominal_at: '2026-03-28T12:00:00.000Z',
    outcome: 'invalid',
  })
})

test('a refused start is on record once, although it was noted late and by many', async () => {
  const id = await make()
  const packs = { ...api.deps.services.packs, findTemplate: () => undefined }
  const killed = { settle: () => Promise.reject(new Error('killed')) }
  await expect(fire(id, { packs }, NOMINAL, DEFAULT_WORKSPACE_ID, killed)).rejects.toThrow('killed')
  const results = await Promise.all(Array.from({ length: 8 }, () => fire(id, { packs })))
  expect(results.every((each) => each.kind === 'done' && each.outcome === 'invalid')).toBe(true)
  expect(await auditOf(id, 'schedule.refused')).toHaveLength(1)
})

test('a policy that denies is the outcome', async () => {
  const id = await make()
  const deny = { name: 'no', layer: 'overlay' as const, effect: 'deny' as const, reason: 'never' }
  const decide = () => ({
    effect: 'deny' as const,
    matched: [deny],
    dry_run: false,
    approval_roles: [],
    channels: [],
    broken_policies: [],
    snapshot_hash: 'sha256:0',
  })
  const policies = { effective: async () => ({ snapshot_hash: 'sha256:0', decide }) }
  expect(await fire(id, { policies })).toEqual({ kind: 'done', outcome: 'denied', reason: 'no: never' })
  expect(await auditOf(id, 'run.denied')).toHaveLength(1)
})

test('a freeze is the outcome', async () => {
  const id = await make()
  const found = api.deps.services.environments.get('development')
  if (found === undefined) throw new Error('no environment')
  const interval = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }
  const freeze = [{ name: 'holidays', interval, scope: 'all' as const, freeze_approvers: [] }]
  const environments = { ...api.deps.services.environments, get: () => ({ ...found, freeze }) }
  expect(await fire(id, { environments })).toMatchObject({ outcome: 'frozen' })
})

test('a time that has not come is refused on record and not used up, also for a schedule that is paused', async () => {
  const soon = '2026-03-28T12:10:00Z'
  for (const id of [await make(), await make({ catchup: 'all', overlap: 'queue' }), await make({ enabled: false })]) {
    await expect(fire(id, {}, soon)).rejects.toMatchObject({ kind: 'not_due' })
    await expect(fire(id, {}, '2096-02-29T00:00:00Z')).rejects.toBeInstanceOf(ClaimRefused)
    expect(await firingsOf(id)).toEqual([])
    expect(await runsOf(id)).toEqual([])
    expect(await claimsOf(id)).toMatchObject([
      { subject: { type: 'schedule', id }, data: { kind: 'not_due', nominal_at: soon, times: 1 } },
    ])
  }
})

test('what a service account schedules is asked for by the account, and by the person behind it where there is one', async () => {
  const bot: Actor = { ...LOCAL_ACTOR, type: 'service', id: ids.next('user'), roles: ['service'] }
  let actor = bot
  const accounts = await createTestApi(database, {
    auth: { enabled: true, actor: async () => actor, person: async () => actor },
    services: { clock: () => Date.parse(NOMINAL) },
  })
  for (const human_root of [undefined, 'usr_inviter']) {
    actor = { ...bot, ...(human_root !== undefined && { human_root }) }
    const id = await make({}, accounts)
    expect(await fire(id)).toMatchObject({ outcome: 'started' })
    const [run] = await database.db<{ human_root: object; requesters: string[]; lost: object }[]>`
      select provenance -> 'human_root' as human_root, requesters_of(provenance) as requesters, lost_standing(r) -> 'who' as lost
      from runs r where provenance #>> '{trigger,schedule_id}' = ${id}`
    expect(run?.human_root).toEqual({ ...(human_root !== undefined && { user_id: human_root }), via: [bot.id, id] })
    expect(run?.requesters).toContain(bot.id)
    expect(run?.lost).toBe(bot.id)
  }
  await accounts.close()
})

test('a time of no schedule, of another workspace, or that the schedule has not got is refused on record', async () => {
  const id = await make()
  await database.db`update schedules set updated_at = '2026-03-01T00:00:00Z' where id = ${id}`
  await expect(fire(id, {}, '2026-03-28T11:59:00Z')).rejects.toMatchObject({ kind: 'not_scheduled' })
  await expect(fire(id, {}, NOMINAL, 'ws_elsewhere')).rejects.toMatchObject({ kind: 'foreign_workspace' })
  await expect(fire(`sch_${'0'.repeat(26)}`)).rejects.toMatchObject({ kind: 'unknown_schedule' })
  expect(await firingsOf(id)).toEqual([])
  expect((await claimsOf(id)).map(({ data }) => data.kind)).toEqual(['not_scheduled', 'foreign_workspace'])
  expect(await fire(id)).toMatchObject({ outcome: 'started' })
})

test('the database itself keeps a time that has not come from being fired', async () => {
  const id = await make()
  const { store } = api.deps.reads.schedules
  const claim = store.claim(id, '2096-02-29T00:00:00Z', api.deps.services.ids.next('run'))
  await expect(claim).rejects.toThrow('has not come')
  const [{ soon = '' } = {}] = await database.db<
    { soon: string }[]
  >`select clock_timestamp() + interval '500 ms' as soon`
  expect(await store.claim(id, soon, api.deps.services.ids.next('run'))).toMatchObject({ state: 'claimed' })
})
