import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isCompensation, requestersOf } from '#core/gate/requester.ts'
import { findHalt, type HaltScope } from '#core/halt/halt.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createHaltStore, type HaltStore } from '#store/halts.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createWorkspaceStore, type WorkspaceChange } from '#store/workspaces.ts'
import { testLog } from '#test/support/embedded.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { createHeldRunLoop } from '#workers/loops/held-runs.ts'

const OTHER = 'ws_0000000000000000000000000b'
const BY = { type: 'user', id: 'usr_owner', display: 'Owner' }
const HASH = `sha256:${'b'.repeat(64)}`
const PROVENANCE = {
  actor: { type: 'service', id: 'usr_bot' },
  human_root: {
    user_id: 'usr_ann',
    via: ['usr_bot', 'sch_nightly', { id: 'skill:x', created_by: 'usr_author' }, 'api'],
  },
}

let halts: HaltStore

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  halts = createHaltStore(database.db)
  await addWorkspace(database, OTHER, 'other')
})
beforeEach(async () => {
  for (const { id } of await halts.inForce()) await lift(id)
})

const auditOf = (action: string) => ({ ...runDraft().audit, id: ids.next('audit'), action, data: {} })
const lift = (id: string) => halts.lift(id, BY, auditOf('halt.lifted'))

async function set(scope: HaltScope = {}): Promise<string> {
  const id = ids.next('halt')
  await halts.set({ id, scope, reason: 'a drill', by: BY }, auditOf('halt.set'))
  return id
}

async function taken(changes: Partial<RunDraft> = {}): Promise<string> {
  const draft = runDraft({ provenance: PROVENANCE, ...changes })
  await runs.admit([draft])
  await runs.take(draft.id)
  return draft.id
}

const STEP = { ordinal: 0, attempt: 1, plan_hash: HASH, reserve_micro_usd: 10, ask_standing: false }
const open = (run_id: string, step_id = 'one') => runs.record({ run_id, fence: 1, open: { step_id, ...STEP } })

describe('an opening under a halt', () => {
  const COVERING: HaltScope[] = [
    {},
    { workspace: DEFAULT_WORKSPACE_ID },
    { environment: 'development' },
    { template: 'test/nothing' },
    ...['usr_bot', 'usr_ann', 'sch_nightly', 'usr_author'].map((requester) => ({ requester })),
    { workspace: DEFAULT_WORKSPACE_ID, environment: 'development', template: 'test/nothing', requester: 'usr_ann' },
  ]
  for (const scope of COVERING) {
    test(`is refused by ${JSON.stringify(scope)} until it is lifted`, async () => {
      const run = await taken()
      const halt_id = await set(scope)
      expect(await open(run)).toEqual({ refused: 'halted', halt_id })
      await lift(halt_id)
      expect(await open(run)).toMatchObject({ status: 'running' })
    })
  }

  const MISSING: HaltScope[] = [
    { workspace: OTHER },
    { environment: 'production' },
    { template: 'test/other' },
    { requester: 'usr_bob' },
    { environment: 'development', template: 'test/other' },
  ]
  for (const scope of MISSING) {
    test(`is not touched by ${JSON.stringify(scope)}`, async () => {
      await set(scope)
      expect(await open(await taken())).toMatchObject({ status: 'running' })
    })
  }

  test('is refused for the repeat of a step that had begun, and for a retry', async () => {
    const run = await taken()
    await open(run)
    const halt_id = await set()
    expect(await open(run)).toEqual({ refused: 'halted', halt_id })
    await runs.record({ run_id: run, fence: 1, settle: { step_id: 'one', ordinal: 0, attempt: 1, state: 'ready' } })
    expect(await open(run)).toEqual({ refused: 'halted', halt_id })
  })

  test('changes nothing: neither the step, nor what it would have reserved, nor what came with it', async () => {
    const run = await taken()
    await open(run)
    const before = await database.db`select * from runs where id = ${run}`
    await set()
    await runs.record({
      run_id: run,
      fence: 1,
      settle: { step_id: 'one', ordinal: 0, attempt: 1, state: 'succeeded', llm_micro_usd: 5 },
      open: { step_id: 'two', ...STEP },
    })
    expect(await database.db`select * from runs where id = ${run}`).toEqual(before)
    expect(await database.db`select step_id, state from run_steps where run_id = ${run}`).toEqual([
      { step_id: 'one', state: 'running' },
    ])
  })

  test('two halts hold until both are lifted', async () => {
    const run = await taken()
    const [first, second] = [await set(), await set({ environment: 'development' })]
    await lift(first)
    expect(await open(run)).toEqual({ refused: 'halted', halt_id: second })
    await lift(second)
    expect(await open(run)).toMatchObject({ status: 'running' })
  })
})

test('who asked for an effect cannot hold up the compensation that takes it back; others can', async () => {
  const asked = { ...PROVENANCE, human_root: { ...PROVENANCE.human_root, via: [BY.id] } }
  const compensation = await taken({ provenance: { ...asked, trigger: { compensation: true } } })
  const effect = await taken({ provenance: asked })
  const halt_id = await set()
  expect(await open(effect)).toEqual({ refused: 'halted', halt_id })
  expect(await open(compensation)).toMatchObject({ status: 'running' })
  const other = ids.next('halt')
  await halts.set({ id: other, scope: {}, reason: 'a drill', by: { ...BY, id: 'usr_else' } }, auditOf('halt.set'))
  expect(await open(compensation, 'two')).toEqual({ refused: 'halted', halt_id: other })
})

test('the database and the API agree on what a halt covers', async () => {
  const random = seededRandom(29)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const some = <T>(values: readonly T[]): T | undefined => (random() < 0.5 ? pick(values) : undefined)
  const names = ['usr_a', 'usr_b', 'sch_c', '']
  const via = (): JsonObject['via'] =>
    pick([undefined, 'usr_a', [pick(names), { user_id: pick(names) }], [], 7, [null]]) as never
  let covered = 0
  for (let n = 0; n < 300; n += 1) {
    const provenance = JSON.parse(
      JSON.stringify({
        actor: some([{ id: pick(names) }, 'x']),
        human_root: some([{ user_id: some(names), via: via(), cancelled_by: some([['usr_a']]) }]),
        trigger: some([{ compensation: some([true]) }]),
      }),
    ) as JsonObject
    const subject = {
      workspace_id: pick([DEFAULT_WORKSPACE_ID, OTHER]),
      environment: pick(['production', 'development']),
      template: pick(['p/one', 'p/two']),
    }
    const scope = JSON.parse(
      JSON.stringify({
        workspace: some([DEFAULT_WORKSPACE_ID, OTHER]),
        environment: some(['production', 'development']),
        template: some(['p/one', 'p/two']),
        requester: some(names.slice(0, 3)),
      }),
    ) as HaltScope
    const by = { type: 'user', id: pick(names), display: 'A' }
    const [pack, template] = subject.template.split('/')
    const run = { ...subject, pack, template, provenance }
    const halt = {
      workspace_id: scope.workspace,
      environment: scope.environment,
      template: scope.template,
      requester: scope.requester,
      set_by: by,
    }
    const [row] = await database.db<{ covers: boolean }[]>`
      select is_halted_by(jsonb_populate_record(null::runs, ${database.db.json(run as never)}),
        jsonb_populate_record(null::halts, ${database.db.json(JSON.parse(JSON.stringify(halt)))})) as covers`
    const of = { ...subject, requesters: requestersOf(provenance), compensation: isCompensation(provenance) }
    const expected = findHalt([{ scope, by }], of) !== undefined
    expect([scope, run, row?.covers ?? null]).toEqual([scope, run, expected])
    covered += expected ? 1 : 0
  }
  expect(covered).toBeGreaterThan(30)
})

test('a run that was stopped waits by the record, and is found as soon as nothing holds it', async () => {
  const decisions = createGateDecisions(database.db)
  const run = await taken()
  const halt_id = await set()
  await runs.record({ run_id: run, fence: 1, run: { status: 'running', status_reason: 'halted' } })
  expect((await decisions.runState(run))?.delay_ms).toBeGreaterThan(3_600_000)
  expect(await halts.release(10)).not.toContain(run)
  await halts.markWoken([run])
  expect((await decisions.runState(run))?.delay_ms).toBeGreaterThan(3_600_000)
  await lift(halt_id)
  expect((await decisions.runState(run))?.delay_ms).toBe(0)
  expect(await halts.release(10)).toContain(run)
  expect((await decisions.runState(run))?.delay_ms).toBe(0)
  expect(await halts.release(10)).not.toContain(run)
  expect(await halts.unwoken()).toContain(run)
  await halts.markWoken([run])
  expect(await halts.unwoken()).not.toContain(run)
})

test('a run whose workspace was archived begins nothing, waits by the record, and is found once it is active again', async () => {
  const decisions = createGateDecisions(database.db)
  const workspaces = createWorkspaceStore(database.db)
  const to = async (status: 'active' | 'archived') => {
    const { version = 0, ...current } = (await workspaces.find(OTHER)) ?? {}
    const audit = { ...auditOf('workspace.updated'), workspace_id: OTHER }
    const changed = await workspaces.update(OTHER, version, { ...current, status } as WorkspaceChange, audit)
    expect(changed).toMatchObject({ status })
  }
  const run = await taken({ workspace_id: OTHER })
  expect(await open(run)).toMatchObject({ status: 'running' })
  await to('archived')
  expect(await open(run)).toEqual({ refused: 'halted', halt_id: null })
  await runs.record({ run_id: run, fence: 1, run: { status: 'running', status_reason: 'halted' } })
  expect((await decisions.runState(run))?.delay_ms).toBeGreaterThan(3_600_000)
  expect(await halts.release(10)).not.toContain(run)
  const before = await halts.lastLifted()
  await to('active')
  expect(await halts.lastLifted()).not.toBe(before)
  expect((await decisions.runState(run))?.delay_ms).toBe(0)
  expect(await halts.release(10)).toContain(run)
  await halts.markWoken([run])
  expect(await open(run)).toMatchObject({ status: 'running' })
})

/** Runs that a halt has stopped and that nothing holds any more. */
async function stopped(count: number): Promise<string[]> {
  const held = await Promise.all(Array.from({ length: count }, () => taken()))
  for (const run_id of held)
    await runs.record({ run_id, fence: 1, run: { status: 'running', status_reason: 'halted' } })
  return held.sort()
}

async function loop(wake: (runId: string) => Promise<void>, body: () => Promise<void>): Promise<void> {
  const heldRuns = createHeldRunLoop({
    halts,
    wake,
    leading: () => true,
    log: testLog,
    every_ms: 2,
    first_retry_ms: 5,
  })
  heldRuns.start()
  try {
    await body()
  } finally {
    await heldRuns.stop()
  }
}

const reasonOf = async (run: string) =>
  (await database.db<{ reason: string | null }[]>`select status_reason as reason from runs where id = ${run}`)[0]
    ?.reason

test('a run that a new halt stops while it is woken is woken once more when that one is lifted', async () => {
  const [run = ''] = await stopped(1)
  const woken: string[] = []
  const stopAgain = async () => {
    const again = await set()
    await runs.record({ run_id: run, fence: 1, run: { status: 'running', status_reason: 'halted' } })
    await lift(again)
  }
  await loop(
    async (id) => {
      woken.push(id)
      if (woken.length === 1) await stopAgain()
    },
    () => expect.poll(() => woken).toEqual([run, run]),
  )
  expect(await reasonOf(run)).toBeNull()
})

test('runs that cannot be woken hold up no others, are tried again ever later, and go on when they can', async () => {
  const all = await stopped(260)
  const stuck = new Set(all.slice(0, 220))
  const times = new Map<string, number>()
  let down = true
  await loop(
    async (id) => {
      times.set(id, (times.get(id) ?? 0) + 1)
      if (down && stuck.has(id)) throw new Error('the engine did not answer')
    },
    async () => {
      const others = all.filter((id) => !stuck.has(id))
      await expect.poll(() => others.map((id) => times.get(id))).toEqual(others.map(() => 1))
      await expect.poll(() => times.get(all[0] ?? '')).toBeGreaterThan(2)
      down = false
      await expect.poll(() => halts.unwoken(), PATIENCE).toEqual([])
      expect(others.map((id) => times.get(id))).toEqual(others.map(() => 1))
    },
  )
  for (const id of all) expect(await reasonOf(id)).toBeNull()
})

test('a halt over every workspace is seen in each, and is changed or set in none', async () => {
  const id = await set()
  const own = await set({ workspace: DEFAULT_WORKSPACE_ID })
  const inside = database.tenants
  expect(await inside.in(OTHER, (db) => db`select id from halts where lifted_at is null`)).toEqual([{ id }])
  const lifting = (db: Db) =>
    db`update halts set lifted_at = now(), lifted_by = '{}' where id in (${id}, ${own}) returning 1`
  expect(await inside.in(OTHER, lifting)).toEqual([])
  await expect(
    inside.in(
      OTHER,
      (db) => db`insert into halts (id, reason, set_by) values (${ids.next('halt')}, 'mine', '{}') returning 1`,
    ),
  ).rejects.toMatchObject({ code: '42501' })
  expect((await halts.inForce()).map((halt) => halt.id)).toEqual([id, own])
})

test('a halt is on record with who, why and how many it holds, and so is its end', async () => {
  await taken({ workspace_id: OTHER, environment: 'drill' })
  await taken({ workspace_id: OTHER, environment: 'drill' })
  const scope = { workspace: OTHER, environment: 'drill' }
  const id = ids.next('halt')
  expect(await halts.set({ id, scope, reason: 'why', by: BY }, auditOf('halt.set'))).toMatchObject({ runs: 2 })
  expect(await halts.list([DEFAULT_WORKSPACE_ID])).toEqual([])
  expect(await halts.list([OTHER])).toMatchObject([{ id, scope, reason: 'why', by: BY, held: { runs: 2 } }])
  expect([await lift(id), await lift(id)]).toEqual([true, false])
  const rows = await database.db`
    select draft ->> 'action' as action, draft #> '{data,held}' as held from audit_outbox
    where draft ->> 'action' like 'halt.%' order by id desc limit 2`
  expect(rows).toEqual([
    { action: 'halt.lifted', held: { runs: 2 } },
    { action: 'halt.set', held: { runs: 2 } },
  ])
})
