import { afterEach, beforeAll, expect, test } from 'vitest'
import type { HaltScope } from '#core/halt/halt.ts'
import type { StartContext } from '#services/context.ts'
import type { Admission } from '#services/runs/admission.ts'
import { admitRun, admitRuns } from '#services/runs/admit-run.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { createAlertService } from './alerts-service.ts'

const HALTED = { kind: 'refused', error: { code: 'halted' } }
const STARTED = { kind: 'admitted', admitted: { started: true } }
let ctx: StartContext

const database = testDatabase()
beforeAll(async () => {
  ctx = createAlertService(database.db).ctx
})
afterEach(() => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`)

const request = (changes: Partial<Admission> = {}): Admission => ({
  pack: 'test',
  template: 'recover',
  inputs: {},
  trigger: { type: 'direct' },
  ...changes,
})

async function halt(scope: HaltScope): Promise<string> {
  const id = ids.next('halt')
  await database.db`
    insert into halts (id, environment, template, reason, set_by)
    values (${id}, ${scope.environment ?? null}, ${scope.template ?? null}, 'drill', '{"display": "ann"}')`
  return id
}

const count = async () => (await database.db<{ n: number }[]>`select count(*)::int as n from runs`)[0]?.n

test('what is refused because of a halt is not taken for stored: its plan comes with the next start', async () => {
  const halt_id = await halt({ template: 'test/recover' })
  await expect(admitRun(ctx, request())).rejects.toMatchObject({
    code: 'halted',
    details: { halt_id, reason: 'drill' },
  })
  expect(await count()).toBe(0)
  await database.db`update halts set lifted_at = now(), lifted_by = '{}'`
  expect(await admitRun(ctx, request())).toMatchObject({ started: true })
})

test('of a batch what the halt covers is refused, and everything else starts', async () => {
  await halt({ environment: 'staging' })
  const before = (await count()) ?? 0
  const outcomes = await admitRuns(ctx, [
    request({ environment: 'staging' }),
    request(),
    request({ template: 'forbidden', environment: 'staging' }),
    request({ template: 'forbidden' }),
    request({ environment: 'staging' }),
  ])
  const DENIED = { kind: 'refused', error: { code: 'policy_denied' } }
  expect(outcomes).toMatchObject([HALTED, STARTED, HALTED, DENIED, HALTED])
  expect(await count()).toBe(before + 1)
})

test('what a halt keeps from starting attaches to the active run of its fingerprint', async () => {
  const fingerprint = 'f'.repeat(16)
  const alerts = () => [{ delivery_id: ids.next('request'), member: 'one' }]
  const first = await admitRun(ctx, request({ fingerprint, alerts: alerts() }))
  await halt({})
  const outcomes = await admitRuns(ctx, [request({ fingerprint, alerts: alerts() }), request({ fingerprint: 'other' })])
  expect(outcomes).toMatchObject([
    { kind: 'admitted', admitted: { run_id: first.run_id, started: false, attached_count: 1 } },
    HALTED,
  ])
})

test('without a halt nothing but the statement that admits is asked', async () => {
  let asked = 0
  const halts = {
    ...ctx.halts,
    inForce: () => {
      asked += 1
      return ctx.halts.inForce()
    },
  }
  expect(await admitRun({ ...ctx, halts }, request())).toMatchObject({ started: true })
  expect(asked).toBe(0)
  await halt({ template: 'test/other' })
  expect(await admitRun({ ...ctx, halts }, request())).toMatchObject({ started: true })
  expect(asked).toBe(1)
})

/** Sets a halt each time after halts were read. */
function meanwhile(set: () => Promise<unknown>): StartContext {
  const inForce = async () => {
    const found = await ctx.halts.inForce()
    await set()
    return found
  }
  return { ...ctx, halts: { ...ctx.halts, inForce } }
}

test('a halt that is set while others are read refuses the start', async () => {
  await halt({ template: 'test/other' })
  const before = await count()
  const set: string[] = []
  const slow = meanwhile(async () => set.length === 0 && set.push(await halt({ template: 'test/recover' })))
  await expect(admitRun(slow, request())).rejects.toMatchObject({ code: 'halted', details: { reason: 'drill' } })
  expect(set).toHaveLength(1)
  expect(await count()).toBe(before)
})

test('halts that are set without end are not read without end: the start is refused as one that may be tried again', async () => {
  await halt({ template: 'test/other' })
  const before = await count()
  let set = 0
  const slow = meanwhile(() => halt({ template: `test/other-${set++}` }))
  await expect(admitRun(slow, request())).rejects.toMatchObject({ code: 'dependency_unavailable' })
  expect(set).toBe(5)
  expect(await count()).toBe(before)
})

test('nothing was tried, or there was nothing to admit: the answers are told apart', async () => {
  const runs = createRunStore(database.db)
  const id = await halt({ template: 'test/other' })
  expect(await runs.admit([runDraft()], [])).toBeUndefined()
  expect(await runs.admit([], [])).toBeUndefined()
  expect(await runs.admit([], [id])).toEqual([])
  expect(await runs.admit([runDraft()], [id])).toMatchObject([{ started: true }])
})
