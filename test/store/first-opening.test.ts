import { expect, test } from 'vitest'
import type { RunPatch } from '#core/run/patch.ts'
import { createHaltStore } from '#store/halts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

async function queuedRun() {
  const draft = runDraft()
  await runs.admit([draft])
  return { run_id: draft.id, claim: { workspace_id: draft.workspace_id, lane: draft.lane }, draft }
}

/** What an execution writes that opens the first step of a run that nobody has taken. */
const firstOpening = (run_id: string): RunPatch => ({
  run_id,
  fence: 0,
  take_fence: true,
  open: { step_id: 'one', ordinal: 0, attempt: 1, plan_hash: 'h', reserve_micro_usd: 5, ask_standing: false },
  run: { status: 'running', status_reason: null },
  events: [
    { key: 'run/started', type: 'run.started' },
    { key: 'step/one/1/started', type: 'step.started', step: 'one' },
  ],
})

async function stateOf(run_id: string) {
  const [row] = await database.db`
    select status, fence, reserved_micro_usd, started_at is not null as started,
      exists (select from start_outbox where run_id = r.id) as waits_for_its_start,
      (select coalesce(array_agg(type order by seq), '{}') from run_events where run_id = r.id) as events,
      (select count(*)::int from run_steps where run_id = r.id) as steps
    from runs r where id = ${run_id}`
  return row
}

test('a step that only waits has begun and not ended', async () => {
  const { run_id } = await queuedRun()
  await runs.record({ run_id, fence: 0, take_fence: true, run: { status: 'running', status_reason: null } })
  const waiting = { step_id: 'one', ordinal: 0, attempt: 0, state: 'ready' as const, outputs: { until: 'later' } }
  await runs.record({ run_id, fence: 1, settle: waiting })
  const [step] =
    await database.db`select started_at is not null as begun, ended_at from run_steps where run_id = ${run_id}`
  expect(step).toEqual({ begun: true, ended_at: null })
})

const UNTAKEN = {
  status: 'queued',
  fence: 0,
  reserved_micro_usd: 0,
  started: false,
  waits_for_its_start: true,
  events: ['run.queued'],
  steps: 0,
}

test('a run that nobody has taken is read for its claim, and taken by the statement that opens its first step', async () => {
  const { run_id, claim } = await queuedRun()
  const taken = await runs.take(run_id, claim)
  expect(taken).toMatchObject({ recorded: { fence: 0 }, head: { id: run_id, status: 'queued', steps: [], gates: [] } })
  expect(await stateOf(run_id)).toEqual(UNTAKEN)
  expect(await runs.record(firstOpening(run_id))).toMatchObject({ fence: 1, status: 'running' })
  expect(await stateOf(run_id)).toEqual({
    status: 'running',
    fence: 1,
    reserved_micro_usd: 5,
    started: true,
    waits_for_its_start: false,
    events: ['run.queued', 'run.started', 'step.started', 'budget.reserved'],
    steps: 1,
  })
})

test('of many executions that read a run untaken one begins it; the others are fenced out and write nothing', async () => {
  const { run_id, claim } = await queuedRun()
  const read = await Promise.all(Array.from({ length: 12 }, () => runs.take(run_id, claim)))
  expect(read.every((each) => !('refused' in each) && each.recorded.fence === 0)).toBe(true)
  const answers = await Promise.all(read.map(() => runs.record(firstOpening(run_id))))
  expect(answers.filter((each) => !('refused' in each))).toHaveLength(1)
  expect(answers.filter((each) => 'refused' in each && each.refused === 'fenced')).toHaveLength(11)
  expect(await stateOf(run_id)).toMatchObject({ fence: 1, steps: 1, reserved_micro_usd: 5 })
  const [audit] = await database.db<{ n: number }[]>`
    select count(*)::int as n from run_events where run_id = ${run_id} and type = 'step.started'`
  expect(audit).toEqual({ n: 1 })
})

test('from then on an execution takes the fence before anything else, and finds what has begun', async () => {
  const { run_id, claim } = await queuedRun()
  await runs.record(firstOpening(run_id))
  const again = await runs.take(run_id, claim)
  expect(again).toMatchObject({ recorded: { fence: 2 }, head: { steps: [{ step_id: 'one', state: 'running' }] } })
  expect(await runs.record({ run_id, fence: 1, events: [] })).toEqual({ refused: 'fenced' })
})

test('an opening holds for the attempt that has the run, until the run ends', async () => {
  const { run_id } = await queuedRun()
  await runs.record(firstOpening(run_id))
  const { open } = firstOpening(run_id)
  const ask = (fence: number) => runs.askOpening(run_id, fence, { ...open })
  expect(await ask(1)).toBeUndefined()
  await runs.take(run_id)
  expect(await ask(1)).toEqual({ refused: 'fenced' })
  expect(await ask(2)).toBeUndefined()
  await runs.record({ run_id, fence: 2, run: { status: 'failed', error: { code: 'internal', message: 'gone' } } })
  expect(await ask(2)).toEqual({ refused: 'fenced' })
})

test('an execution that read a run before it was taken, or cancelled, or ended writes nothing', async () => {
  const taken = await queuedRun()
  await runs.take(taken.run_id)
  // as the first opening begins it
  const begun = { status: 'running', started: true, waits_for_its_start: false, events: ['run.queued', 'run.started'] }
  expect(await stateOf(taken.run_id)).toMatchObject(begun)
  expect(await runs.record(firstOpening(taken.run_id))).toEqual({ refused: 'fenced' })
  const cancelling = await queuedRun()
  await runs.record({ run_id: cancelling.run_id, any_fence: true, run: { status: 'cancelling' } })
  expect(await runs.record(firstOpening(cancelling.run_id))).toEqual({ refused: 'cancelling' })
  expect(await runs.take(cancelling.run_id, cancelling.claim)).toEqual({ refused: 'cancelling' })
  const ended = await queuedRun()
  await runs.record({
    run_id: ended.run_id,
    take_fence: true,
    run: { status: 'failed', error: { code: 'internal', message: 'gone' } },
  })
  expect(await runs.record(firstOpening(ended.run_id))).toEqual({ refused: 'terminal', status: 'failed' })
  expect(await runs.take(ended.run_id, ended.claim)).toEqual({ refused: 'terminal', status: 'failed' })
  for (const { run_id } of [taken, cancelling, ended]) expect(await stateOf(run_id)).toMatchObject({ steps: 0 })
})

test('an opening that is refused, by a cap or by a halt, leaves the run untaken', async () => {
  const { run_id, draft } = await queuedRun()
  const dear = firstOpening(run_id)
  if (dear.open) dear.open.reserve_micro_usd = draft.cap_micro_usd + 1
  expect(await runs.record(dear)).toMatchObject({ refused: 'budget', scope: 'run' })
  expect(await stateOf(run_id)).toEqual(UNTAKEN)
  const id = ids.next('halt')
  const scope = { template: 'test/nothing' }
  const audit = { ...draft.audit, id: ids.next('audit'), action: 'halt.set' }
  await createHaltStore(database.db).set({ id, scope, reason: 'drill', by: { id: 'usr_local' } }, audit)
  expect(await runs.record(firstOpening(run_id))).toEqual({ refused: 'halted', halt_id: id })
  expect(await stateOf(run_id)).toEqual(UNTAKEN)
  await database.db`update halts set lifted_at = now(), lifted_by = '{}'`
})

test('a claim that is not what the record says finds no run, and takes none', async () => {
  const { run_id, claim } = await queuedRun()
  expect(await runs.take(run_id, { ...claim, lane: 'background' })).toEqual({ refused: 'not_found' })
  expect(await runs.take(run_id, { ...claim, workspace_id: 'ws_other' })).toEqual({ refused: 'not_found' })
  expect(await stateOf(run_id)).toEqual(UNTAKEN)
})
