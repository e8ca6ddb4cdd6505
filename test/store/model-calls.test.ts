import { beforeAll, describe, expect, test, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb, type Db, type Statements } from '#store/db.ts'
import {
  createModelCalls,
  type ModelCallStore,
  type ModelReservation,
  type ModelSettlement,
} from '#store/models/model-calls.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const CALLS = 50
const ROOM = 20
const PRICE = 1_000
const ROUNDS = Number(process.env['SVC_STORM'] ?? 40)
const SEED = Number(process.env['SVC_SEED'] ?? 11)

let calls: ModelCallStore

const database = testDatabase()
beforeAll(async () => {
  calls = createModelCalls(database.db)
})

const record = {
  ...runDraft().audit,
  category: 'model_call' as const,
  action: 'model.called',
  subject: { type: 'model_call', id: 'any' },
}
function reservation(changes: Partial<ModelReservation>): ModelReservation {
  return {
    ...{ id: ids.next('model_call'), workspace_id: DEFAULT_WORKSPACE_ID, environment: 'development', model: 'any' },
    ...{ reserve_micro_usd: PRICE, run_cap_micro_usd: 1_000_000_000, day: '2026-01-01', ask_standing: false },
    ...{ requesters: ['usr_local'], record },
    ...changes,
  }
}
const settlement = (id: string, charged: Partial<ModelSettlement>): ModelSettlement => ({
  ...{ id, basis: 'reported', charged_micro_usd: PRICE, overrun_micro_usd: 0 },
  audit: { ...record, id: ids.next('audit'), ts: new Date().toISOString() },
  ...charged,
})

async function admit(cap_micro_usd: number): Promise<string> {
  const draft = runDraft({ cap_micro_usd })
  await createRunStore(database.db).admit([draft])
  return draft.id
}

/** The id of a key that may spend so much a day. */
async function addKey(name: string, daily_cap_micro_usd: number): Promise<string> {
  const [robot, key_id] = [ids.next('user'), ids.next('api_key')]
  await database.db`
    insert into users (id, account_id, email, roles, workspaces, status)
    values (${robot}, 'acc_local', ${`${name}@example.test`}, '{service}', ${[DEFAULT_WORKSPACE_ID]}, 'active')`
  await database.db`
    insert into api_keys (id, account_id, user_id, name, prefix, hash, scopes, daily_cap_micro_usd, created_by, expires_at)
    values (${key_id}, 'acc_local', ${robot}, ${name}, ${`svc_${name.padEnd(8, '_')}`}, ${key_id.slice(4).padEnd(64, '0')}, '{models:call}', ${daily_cap_micro_usd},
      'usr_local', now() + interval '1 day')`
  return key_id
}

interface Books {
  spent: number
  reserved: number
  cap: number
  rows_spent: number
  rows_reserved: number
  spent_by_events: number
}

/** The run, its calls and its events, of one moment. */
async function books(run_id: string): Promise<Books> {
  const [row] = await database.db<Books[]>`
    select llm_micro_usd as spent, reserved_micro_usd as reserved, cap_micro_usd as cap,
      (select coalesce(sum(charged_micro_usd), 0)::int from model_calls where run_id = r.id) as rows_spent,
      (select coalesce(sum(reserved_micro_usd), 0)::int from model_calls where run_id = r.id and state = 'reserved') as rows_reserved,
      (select coalesce(round(sum((data ->> 'usd')::numeric) * 1000000), 0)::int from run_events
        where run_id = r.id and type = 'budget.settled') as spent_by_events
    from runs r where id = ${run_id}`
  if (!row) throw new Error('no run')
  return row
}

describe('fifty calls at once with room for twenty', () => {
  const random = seededRandom(SEED)
  /** what becomes of a call: it is answered, its provider lies, nobody knows, it was turned down, or its process dies */
  const ends = ['answered', 'answered', 'lies', 'aborted', 'refused', 'died'] as const

  test(`never pass the cap, leave nothing reserved, and none is refused while there is room (${ROUNDS} rounds)`, async () => {
    const seen = { answered: 0, lies: 0, aborted: 0, refused: 0, died: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const run_id = await admit(ROOM * PRICE)
      let over = false
      const watching = (async () => {
        for (; !over; ) {
          const { spent, reserved, cap, rows_spent, rows_reserved, spent_by_events } = await books(run_id)
          expect(spent + reserved).toBeLessThanOrEqual(cap)
          expect([rows_spent, rows_reserved, spent_by_events]).toEqual([spent, reserved, spent])
        }
      })()
      const asked = await Promise.all(
        Array.from({ length: CALLS }, async () => {
          const request = reservation({ run_id })
          return { id: request.id, refusal: await calls.reserve(request) }
        }),
      )
      const begun = asked.filter(({ refusal }) => refusal === undefined)
      // nothing was given back meanwhile: exactly as many as there is room for
      expect(begun.length).toBe(ROOM)
      expect(asked.filter(({ refusal }) => refusal !== undefined).map(({ refusal }) => refusal)).toEqual(
        Array.from({ length: CALLS - ROOM }, () => expect.objectContaining({ refused: 'budget', scope: 'run' })),
      )
      let spent = 0
      await Promise.all(
        begun.map(async ({ id }) => {
          const end = ends[Math.floor(random() * ends.length)] ?? 'died'
          seen[end] += 1
          const cost = end === 'answered' ? Math.floor(random() * PRICE) : end === 'refused' ? 0 : PRICE
          spent += cost
          if (end === 'died')
            await database.db`update model_calls set leased_until = now() - interval '1 second' where id = ${id}`
          else
            await calls.settle(
              settlement(id, {
                basis: end === 'refused' ? 'unspent' : end === 'aborted' ? 'estimate' : 'reported',
                charged_micro_usd: cost,
                overrun_micro_usd: end === 'lies' ? 999_000 : 0,
              }),
            )
        }),
      )
      await calls.settleLost(100)
      expect(await books(run_id)).toMatchObject({ spent, reserved: 0, rows_reserved: 0, spent_by_events: spent })
      // what was given back is room again, to the last of it
      const left = ROOM * PRICE - spent
      expect(await calls.reserve(reservation({ run_id, reserve_micro_usd: left + 1 }))).toMatchObject({
        refused: 'budget',
      })
      const last = reservation({ run_id, reserve_micro_usd: left })
      expect(await calls.reserve(last)).toBeUndefined()
      await calls.settle(settlement(last.id, { charged_micro_usd: left }))
      over = true
      await watching
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0)
  })

  test('hold of a day as of a run, for a workspace, an environment and a key', async () => {
    const key_id = await addKey('storm', ROOM * PRICE)
    for (const caps of [
      { daily_cap_micro_usd: ROOM * PRICE },
      { workspace_daily_cap_micro_usd: ROOM * PRICE },
      { key_id },
    ]) {
      const requests = Array.from({ length: CALLS }, () => reservation({ ...caps, day: '2026-02-02' }))
      const refusals = await Promise.all(requests.map((request) => calls.reserve(request)))
      expect(refusals.filter((refusal) => refusal === undefined).length).toBe(ROOM)
      const begun = requests.filter((_request, index) => refusals[index] === undefined)
      await Promise.all(begun.map(({ id }) => calls.settle(settlement(id, { charged_micro_usd: PRICE / 2 }))))
      const again = await Promise.all(
        requests.map(({ id: _id, ...request }) => calls.reserve({ ...request, id: ids.next('model_call') })),
      )
      expect(again.filter((refusal) => refusal === undefined).length).toBe(ROOM / 2)
      // another day is another budget
      expect(await calls.reserve(reservation({ ...caps, day: '2026-02-03' }))).toBeUndefined()
    }
  })
})

test('a call that was prepared on the day before takes nothing from what the key has spent since', async () => {
  const key_id = await addKey('night', PRICE)
  const [yesterday, today] = ['2026-03-03', '2026-03-04']
  const first = reservation({ key_id, day: today })
  expect(await calls.reserve(first)).toBeUndefined()
  // it was begun before midnight, and its first attempt has waited for a provider since
  expect(await calls.reserve(reservation({ key_id, day: yesterday }))).toMatchObject({
    refused: 'budget',
    scope: 'key',
  })
  await calls.settle(settlement(first.id, { charged_micro_usd: PRICE }))
  expect(await calls.reserve(reservation({ key_id, day: yesterday }))).toMatchObject({
    refused: 'budget',
    scope: 'key',
  })
  expect(await calls.reserve(reservation({ key_id, day: today }))).toMatchObject({ refused: 'budget', scope: 'key' })
})

test('what is renewed is not lost; what is settled late changes no money and goes on record', async () => {
  const run_id = await admit(10 * PRICE)
  const [kept, lost] = [reservation({ run_id }), reservation({ run_id })]
  for (const each of [kept, lost]) await calls.reserve(each)
  await database.db`update model_calls set leased_until = now() - interval '1 second' where run_id = ${run_id}`
  await calls.renew([kept.id])
  expect(await calls.settleLost(100)).toBe(1)
  expect(await calls.settle(settlement(lost.id, { charged_micro_usd: 1 }))).toBe(PRICE)
  expect(await calls.settle(settlement(kept.id, { charged_micro_usd: 7 }))).toBe(7)
  expect(await books(run_id)).toMatchObject({ spent: PRICE + 7, reserved: 0 })
  const drafts = await database.db<{ outcome: string | null; late: boolean | null }[]>`
    select draft #>> '{data,outcome}' as outcome, (draft #>> '{data,late}')::boolean as late from audit_outbox
    where draft ->> 'action' = 'model.called' order by id desc limit 3`
  expect(drafts).toEqual([
    { outcome: null, late: null },
    { outcome: null, late: true },
    { outcome: 'lost', late: null },
  ])
})

test('a call that ends after midnight gives back nothing of the new day', async () => {
  const key_id = await addKey('late', 10 * PRICE)
  const [before, after] = [reservation({ key_id, day: '2026-04-04' }), reservation({ key_id, day: '2026-04-05' })]
  for (const each of [before, after]) await calls.reserve(each)
  await calls.settle(settlement(before.id, { charged_micro_usd: PRICE }))
  const [key] = await database.db`
    select day_reserved_micro_usd as reserved, day_spent_micro_usd as spent from api_keys where id = ${key_id}`
  expect(key).toEqual({ reserved: PRICE, spent: 0 })
})

test('of two that settle a call at once, one charges it', async () => {
  const caps = { daily_cap_micro_usd: 10 * PRICE, day: '2026-05-05' }
  const call = reservation(caps)
  await calls.reserve(call)
  const elsewhere = createDb(database.url, { max: 1 })
  const { both } = await elsewhere.begin(async (sql) => {
    await sql`select from model_calls where id = ${call.id} for update`
    const settling = [1, 2].map(() => calls.settle(settlement(call.id, { charged_micro_usd: PRICE / 2 })))
    await vi.waitFor(async () => {
      const waiting = await database.db`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      expect(waiting.length).toBe(2)
    }, PATIENCE)
    return { both: Promise.all(settling) }
  })
  expect(await both).toEqual([PRICE / 2, PRICE / 2])
  const [day] = await database.db`
    select spent_micro_usd as spent, reserved_micro_usd as reserved from environment_budgets where day = ${caps.day}`
  expect(day).toEqual({ spent: PRICE / 2, reserved: 0 })
  await elsewhere.end()
})

test('a call is made in the workspace of its run, and of no other', async () => {
  const run_id = await admit(10 * PRICE)
  const workspace_id = ids.next('workspace')
  await addWorkspace(database, workspace_id, 'callers')
  expect(await calls.reserve(reservation({ run_id, workspace_id }))).toEqual({ refused: 'not_found' })
  expect(await calls.reserve(reservation({ run_id }))).toBeUndefined()
})

test('a call beside runs is held by a halt of its own workspace, and of all, and by none of another', async () => {
  const { db } = database
  const [workspace_id, one, all] = [ids.next('workspace'), ids.next('halt'), ids.next('halt')]
  await addWorkspace(database, workspace_id, 'halted')
  await db`insert into halts (id, workspace_id, reason, set_by) values (${one}, ${DEFAULT_WORKSPACE_ID}, 'why', '{}')`
  expect(await calls.reserve(reservation({}))).toEqual({ refused: 'halted', halt_id: one })
  expect(await calls.reserve(reservation({ workspace_id }))).toBeUndefined()
  await db`insert into halts (id, reason, set_by) values (${all}, 'why', '{}')`
  expect(await calls.reserve(reservation({ workspace_id }))).toEqual({ refused: 'halted', halt_id: all })
  await db`update halts set lifted_at = now(), lifted_by = '{}'`
})

test('a step makes calls for the attempt that is under way, and by the fence of its run', async () => {
  const run_id = await admit(10 * PRICE)
  const runs = createRunStore(database.db)
  await runs.take(run_id)
  const opening = { step_id: 'one', ordinal: 0, attempt: 2, plan_hash: 'sha256:x', reserve_micro_usd: 0 }
  expect(await runs.record({ run_id, fence: 1, open: { ...opening, ask_standing: false } })).toHaveProperty('fence')
  const by = (changes: object) =>
    calls.reserve(
      reservation({ run_id, step: { step_id: 'one', attempt: 2, plan_hash: 'sha256:x', fence: 1, ...changes } }),
    )
  for (const other of [{ attempt: 1 }, { fence: 0 }, { step_id: 'two' }])
    expect(await by(other), JSON.stringify(other)).toEqual({ refused: 'fenced' })
  expect(await by({})).toBeUndefined()
  await runs.take(run_id)
  expect(await by({})).toEqual({ refused: 'fenced' })
})

test('reserving and settling read no more beside a hundred thousand settled calls', async () => {
  await database.db`
    insert into model_calls (id, workspace_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record,
      leased_until, settled_at)
    select 'mcl_' || lpad(n::text, 26, '0'), ${DEFAULT_WORKSPACE_ID}, 'development', 'any', 'settled', 'reported', 1, 1, '{}', now(), now()
    from generate_series(1, 100000) n`
  await createDbOfOwner(database.owner_url, (owner) => owner`analyze model_calls`)
  const run_id = await admit(1_000_000_000)
  const read = await database.db.begin(async (tx) => {
    const store = createModelCalls(tx as unknown as Db)
    // a session also counts what it has read before and not yet reported
    const before = await rowsRead(tx)
    const request = reservation({ run_id })
    await store.reserve(request)
    await store.settle(settlement(request.id, { charged_micro_usd: 1 }))
    return (await rowsRead(tx)) - before
  })
  expect(read).toBeLessThan(20)
})

async function rowsRead(tx: Statements): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables where relname = 'model_calls'`
  return row?.rows ?? 0
}

async function createDbOfOwner(url: string, act: (owner: Db) => PromiseLike<unknown>): Promise<void> {
  const owner = createDb(url, { max: 1 })
  await act(owner)
  await owner.end()
}

/** A pipeline of these runs that may cost so much. */
async function pipelineOf(run_ids: string[], cap_micro_usd: number): Promise<string> {
  const { db } = database
  const id = ids.next('pipeline')
  await db`
    insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment, environment_class,
      profile, status, inputs, inputs_hash, provenance)
    values (${id}, ${DEFAULT_WORKSPACE_ID}, 'any', 'any', 'any', '{}', 'any', 'development', 'development', 'default', 'queued', '{}',
      'any', '{}')`
  await db`insert into pipeline_budgets (pipeline_id, cap_micro_usd) values (${id}, ${cap_micro_usd})`
  await db`update runs set pipeline_id = ${id} where id = any(${run_ids}::text[])`
  return id
}

test('what a step of a pipeline’s run has cost counts towards its cap when the next one opens with its end', async () => {
  const run_id = await admit(10 * PRICE)
  await pipelineOf([run_id], 2 * PRICE)
  const runs = createRunStore(database.db)
  await runs.take(run_id)
  const step = (n: number) => ({ step_id: `s${n}`, ordinal: n, attempt: 1 })
  const opening = (n: number, reserve_micro_usd: number) => ({
    ...{ ...step(n), plan_hash: 'sha256:x', reserve_micro_usd, ask_standing: false },
  })
  await runs.record({ run_id, fence: 1, open: opening(0, PRICE) })
  const settle = { ...step(0), state: 'succeeded' as const, llm_micro_usd: PRICE }
  const next = (reserve: number) => runs.record({ run_id, fence: 1, settle, open: opening(1, reserve) })
  expect(await next(PRICE + 1)).toMatchObject({ refused: 'budget', scope: 'pipeline' })
  expect(await next(PRICE)).toMatchObject({ status: 'running' })
})

test('calls of the runs of a pipeline count towards its cap', async () => {
  const { db } = database
  const [run_a, run_b] = [await admit(10 * PRICE), await admit(10 * PRICE)]
  const pipeline = await pipelineOf([run_a, run_b], 2 * PRICE)
  const [first, second] = [reservation({ run_id: run_a }), reservation({ run_id: run_b })]
  expect([await calls.reserve(first), await calls.reserve(second)]).toEqual([undefined, undefined])
  const third = await calls.reserve(reservation({ run_id: run_b }))
  expect(third).toMatchObject({ refused: 'budget', scope: 'pipeline', cap_micro_usd: 2 * PRICE })
  await calls.settle(settlement(first.id, { charged_micro_usd: PRICE / 2 }))
  await calls.settle(settlement(second.id, { charged_micro_usd: 0, basis: 'unspent' }))
  const [budget] =
    await db`select spent_micro_usd, reserved_micro_usd from pipeline_budgets where pipeline_id = ${pipeline}`
  expect(budget).toMatchObject({ spent_micro_usd: PRICE / 2, reserved_micro_usd: 0 })
})
