import { expect, test } from 'vitest'
import { commit, flush, keep, type Writing } from '#activities/run/commit.ts'
import type { PendingSettlement, RunPatch } from '#core/run/patch.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { createIds } from '#platform/ids.ts'
import type { Refusal } from '#store/runs/run-answers.ts'

const DONE: PendingSettlement = {
  settle: { step_id: 'one', ordinal: 0, state: 'succeeded', attempt: 1, outputs: { n: 1 }, llm_micro_usd: 3 },
  events: [{ key: 'step/one/1/completed', type: 'step.completed' }],
  audit: [],
}
const NEXT = { step_id: 'two', ordinal: 1, attempt: 1, plan_hash: 'sha256:x', reserve_micro_usd: 5 }

const DEPS = {
  audit: { offer: () => undefined },
  notifyRun: () => undefined,
  ids: createIds(),
  clock: () => 0,
}

function writing(of: Pick<Writing, 'fence' | 'pending'>): Writing {
  const head = { id: 'run_1', workspace_id: 'wsp_1', dry_run: false }
  return { head, redactor: createRedactor([]), released: false, steps: new Map(), ...of }
}

/** A record that refuses whatever begins something. */
function refusing(refusal: Refusal) {
  const written: RunPatch[] = []
  const record = async (patch: RunPatch) => {
    if (patch.open !== undefined) return refusal
    written.push(patch)
    return { fence: 1, last_seq: 1, status: 'cancelling' as const, audit: [] }
  }
  return { deps: { ...DEPS, runs: { record } }, session: writing({ fence: 1, pending: DONE }), written }
}

test('what a step has done and cost is recorded although its run is being cancelled, and nothing begins', async () => {
  const { deps, session, written } = refusing({ refused: 'cancelling' })
  expect(await commit(deps, session, { open: NEXT })).toEqual({ refused: 'cancelling' })
  expect(written).toMatchObject([{ settle: DONE.settle, events: DONE.events }])
  expect(session.pending).toBeNull()
})

test('where the next step does not fit under the cap, it is recorded with the end of the run', async () => {
  const { deps, session, written } = refusing({ refused: 'budget', scope: 'run', cap_micro_usd: 7 })
  expect(await commit(deps, session, { open: NEXT })).toMatchObject({ refused: 'budget' })
  expect([written, session.pending]).toEqual([[], DONE])
})

/** A record that takes everything but what `refusal` is for, of a run that nobody has taken. */
function untaken(
  refusal: (patch: RunPatch) => Refusal | undefined = () => undefined,
  pending: PendingSettlement | null = null,
) {
  const written: RunPatch[] = []
  const record = async (patch: RunPatch) => {
    const refused = refusal(patch)
    if (refused !== undefined) return refused
    written.push(patch)
    return { fence: 1, last_seq: 1, status: 'running' as const, audit: [] }
  }
  return { deps: { ...DEPS, runs: { record } }, session: writing({ fence: 0, pending }), written }
}

const TAKES = { fence: 0, take_fence: true, run: { status: 'running', status_reason: null } }
const STARTED = { key: 'run/started', type: 'run.started' }
const OPENED = { key: 'step/two/1/started', type: 'step.started' as const }

test('the first opening takes the run in the same statement, and later ones are by its fence', async () => {
  const { deps, session, written } = untaken()
  await commit(deps, session, { open: NEXT, events: [OPENED] })
  await commit(deps, session, { settle: DONE.settle })
  expect(written).toMatchObject([
    { ...TAKES, open: NEXT, events: [STARTED, OPENED] },
    { fence: 1, settle: DONE.settle },
  ])
  expect(written[1]).not.toHaveProperty('take_fence')
})

test('whatever else comes first finds the run taken and running', async () => {
  const failed = {
    run: { status: 'failed' as const, error: {} },
    events: [{ key: 'run/failed', type: 'run.failed' as const }],
  }
  const { deps, session, written } = untaken()
  await commit(deps, session, failed)
  expect(written).toMatchObject([
    { ...TAKES, events: [STARTED] },
    { fence: 1, ...failed },
  ])
})

test('an opening that is refused has not taken the run; what follows it does', async () => {
  const { deps, session, written } = untaken((patch) =>
    patch.open ? { refused: 'halted', halt_id: 'halt_1' } : undefined,
  )
  expect(await commit(deps, session, { open: NEXT })).toMatchObject({ refused: 'halted' })
  expect([written, session.fence]).toEqual([[], 0])
  await commit(deps, session, { run: { status: 'running', status_reason: 'halted' } })
  expect(written).toMatchObject([TAKES, { fence: 1, run: { status_reason: 'halted' } }])
})

test('a run that another execution took, or that is being cancelled, is left alone', async () => {
  for (const refused of ['fenced', 'cancelling'] as const) {
    const { deps, session, written } = untaken(() => ({ refused }), DONE)
    expect(await commit(deps, session, { open: NEXT })).toEqual({ refused })
    expect(await flush(deps, session)).toEqual({ refused })
    expect([written, session.fence]).toEqual([[], 0])
  }
})

test('after a flush the run is taken, once', async () => {
  const { deps, session, written } = untaken()
  expect([await flush(deps, session), await flush(deps, session)]).toEqual([undefined, undefined])
  expect(written).toMatchObject([TAKES])
  expect(session.fence).toBe(1)
})

const SKIPPED = { ...DONE.settle, step_id: 'two', ordinal: 1, state: 'skipped' as const }

test('each settlement that is kept is written, in order, whatever follows it', async () => {
  for (const next of [keep, commit] as const) {
    const { deps, session, written } = untaken(undefined, DONE)
    await next(deps, session, { settle: SKIPPED })
    await flush(deps, session)
    expect(written.flatMap(({ settle }) => settle ?? [])).toEqual([DONE.settle, SKIPPED])
    expect(session.pending).toBeNull()
  }
})

test('nothing further is kept of a run that another execution has taken', async () => {
  const { deps, session, written } = untaken(() => ({ refused: 'fenced' }), DONE)
  expect(await keep(deps, session, { settle: SKIPPED })).toEqual({ kind: 'stopped' })
  expect([written, session.pending]).toEqual([[], DONE])
})
