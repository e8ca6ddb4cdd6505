import { expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb, type Db, type Statements } from '#store/db.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { runDraft } from '#test/support/run-drafts.ts'

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

const members = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ delivery_id: 'dlv_test', member: `m${n}` }))
const draft = (fingerprint: string | null, count = 1, changes: Partial<RunDraft> = {}) =>
  runDraft({ fingerprint, alerts: members(count), ...changes })
const finish = (id: string) =>
  runs.record({
    run_id: id,
    take_fence: true,
    run: { status: 'failed', error: {} },
    events: [{ key: 'run/ended', type: 'run.failed' }],
  })

async function eventsOf(id: string) {
  return database.db<
    { seq: number; type: string; data: object }[]
  >`select seq, type, data from run_events where run_id = ${id} order by seq`
}

test('the answers stand in the order of the drafts, no matter what became of each', async () => {
  const [known] = await runs.admit([draft('order|known')])
  const drafts = [draft(null), draft('order|b', 3), draft('order|known', 2), draft('order|a')]
  expect(await runs.admit(drafts)).toEqual([
    { run_id: drafts[0]?.id, started: true, status: 'queued', attached_count: 0 },
    { run_id: drafts[1]?.id, started: true, status: 'queued', attached_count: 2 },
    { run_id: known?.run_id, started: false, status: 'queued', attached_count: 2 },
    { run_id: drafts[3]?.id, started: true, status: 'queued', attached_count: 0 },
  ])
  expect(await runs.admit([])).toEqual([])
})

test('a started run has its events, its alerts, one audit draft and one entry for the engine', async () => {
  const one = draft('whole', 3)
  await runs.admit([one])
  expect(await eventsOf(one.id)).toMatchObject([
    { seq: 1, type: 'run.queued' },
    { seq: 2, type: 'alert.attached', data: { count: 2, attached_count: 2 } },
  ])
  await runs.admit([draft('whole', 2)])
  expect((await eventsOf(one.id))[2]).toMatchObject({
    seq: 3,
    type: 'alert.attached',
    data: { count: 2, attached_count: 4 },
  })
  const [row] = await database.db`
    select (select count(*) from run_alerts where run_id = ${one.id}) as alerts,
      (select count(*) from start_outbox where run_id = ${one.id}) as starts,
      (select count(*) from audit_outbox where draft ->> 'run_id' = ${one.id}) as audits,
      (select last_seq from runs where id = ${one.id}) as last_seq`
  expect(row).toEqual({ alerts: 5, starts: 1, audits: 1, last_seq: 3 })
})

test('a start that is held is not taken for lost, until its time is over', async () => {
  const [held, lost] = [draft('held'), draft('lost')]
  await runs.admit([held, lost])
  const unstarted = async () => {
    const found = (await runs.findUnstarted(0, 1_000)).map(({ run_id }) => run_id)
    return [held, lost].filter(({ id }) => found.includes(id)).map(({ fingerprint }) => fingerprint)
  }
  await runs.holdStarts([held.id], 60_000)
  expect(await unstarted()).toEqual([lost.fingerprint])
  await runs.holdStarts([held.id], 0)
  expect(await unstarted()).toEqual([held.fingerprint, lost.fingerprint])
})

test('a run that has ended is left alone: its fingerprint starts a new one', async () => {
  const first = draft('again')
  await runs.admit([first])
  await finish(first.id)
  const second = draft('again')
  expect(await runs.admit([second])).toMatchObject([{ run_id: second.id, started: true }])
})

test('the same fingerprint in two workspaces is two runs', async () => {
  const other = 'ws_22222222222222222222222222'
  await database.db`insert into workspaces (id, slug, name) values (${other}, 'other', 'Other')`
  const drafts = [draft('shared'), draft('shared', 1, { workspace_id: other })]
  expect(await runs.admit(drafts)).toMatchObject(drafts.map((each) => ({ run_id: each.id, started: true })))
  expect(await runs.admit([draft('shared', 1, { workspace_id: other })])).toMatchObject([
    { run_id: drafts[1]?.id, started: false },
  ])
})

test('runs that end while alerts fold onto them: every alert counts once, and never are two active', async () => {
  const fingerprints = Array.from({ length: 5 }, (_, n) => `race|${n}`)
  const processes = Array.from({ length: 6 }, async () => {
    const answers = []
    for (let n = 0; n < 40; n++) answers.push(...(await runs.admit(fingerprints.map((each) => draft(each, 2)))))
    return answers
  })
  let ending = true
  const ender = (async () => {
    while (ending) {
      const rows = await database.db<{ id: string }[]>`
        select id from runs where fingerprint like 'race|%' and ended_at is null order by random() limit 2`
      await Promise.all(rows.map((row) => finish(row.id)))
    }
  })()
  const answers = (await Promise.all(processes)).flat()
  ending = false
  await ender
  const started = answers.filter((each) => each.started).length
  const rows = await database.db<
    {
      attached_count: number
      ended_at: string | null
      fingerprint: string
      alerts: number
      last_seq: number
      events: number
    }[]
  >`
    select attached_count, ended_at, fingerprint, last_seq, (select count(*) from run_alerts where run_id = r.id) as alerts,
      (select count(*) from run_events where run_id = r.id) as events
    from runs r where fingerprint like 'race|%'`
  expect(started).toBeGreaterThan(5)
  expect(rows).toHaveLength(started)
  expect(started + rows.reduce((sum, row) => sum + row.attached_count, 0)).toBe(6 * 40 * 5 * 2)
  for (const row of rows) expect([row.alerts, row.events]).toEqual([row.attached_count + 1, row.last_seq])
  const active = rows.filter((row) => row.ended_at === null)
  expect(new Set(active.map((row) => row.fingerprint)).size).toBe(active.length)
})

test('batches of many processes over the same fingerprints never wait for each other in a circle', async () => {
  const batch = () =>
    Array.from({ length: 60 }, (_, n) => draft(`wide|${String(n).padStart(2, '0')}`)).filter(() => Math.random() < 0.7)
  const answers = await Promise.all(Array.from({ length: 80 }, () => runs.admit(batch())))
  const [row] = await database.db<{ attached: number; runs: number }[]>`
    select sum(attached_count)::int as attached, count(*)::int as runs from runs where fingerprint like 'wide|%'`
  expect((row?.attached ?? 0) + (row?.runs ?? 0)).toBe(answers.flat().length)
  expect(row?.runs).toBe(60)
})

test('a batch of 256 finds each run that belongs to it', async () => {
  const batch = (prefix: string) =>
    Array.from({ length: 256 }, (_, n) => draft(`${prefix}|${String(n).padStart(3, '0')}`))
  const answers = await runs.admit(batch('pairs'))
  expect(new Set(answers.map((each) => each.run_id)).size).toBe(256)
  expect((await runs.admit(batch('pairs'))).map((each) => each.run_id)).toEqual(answers.map((each) => each.run_id))
})

test('attaching one alert reads a few rows, beside twenty thousand members of its run and of another', async () => {
  const [own, other] = await runs.admit([draft('many|own', 3), draft('many|other')])
  await database.db`
    insert into run_alert_members (run_id, workspace_id, member, fired_at)
    select run_id, workspace_id, 'old' || n, now() from generate_series(1, 10000) n,
      (select id as run_id, workspace_id from runs where id in (${own?.run_id ?? ''}, ${other?.run_id ?? ''})) r`
  await analyze('run_alert_members')
  const read = await database.db.begin(async (tx) => {
    const before = await membersRead(tx)
    const request = { workspace_id: DEFAULT_WORKSPACE_ID, fingerprint: 'many|own', alerts: members(1) }
    expect(await createRunStore(tx as unknown as Db).attach([request])).toMatchObject([{ run_id: own?.run_id }])
    return (await membersRead(tx)) - before
  })
  expect(read).toBeLessThan(20)
})

async function membersRead(tx: Statements): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
    where relname in ('run_alert_members', 'run_alert_states')`
  return row?.rows ?? 0
}

async function analyze(table: string): Promise<void> {
  const owner = createDb(database.owner_url, { max: 1 })
  await owner`analyze ${owner(table)}`
  await owner.end()
}
