import { expect, test } from 'vitest'
import { type Carried, type Writing, writePatch } from '#activities/walk.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import type { Refusal, RunPatch } from '#store/run-records.ts'

const DONE: Carried = {
  settle: { step_id: 'one', ordinal: 0, state: 'succeeded', attempt: 1, outputs: { n: 1 }, llm_micro_usd: 3 },
  events: [{ key: 'step/one/1/completed', type: 'step.completed' }],
  audit: [],
}
const NEXT = { step_id: 'two', ordinal: 1, attempt: 1, plan_hash: 'sha256:x', reserve_micro_usd: 5 }

/** A record that refuses whatever begins something. */
function refusing(refusal: Refusal) {
  const written: RunPatch[] = []
  const record = async (patch: RunPatch) => {
    if (patch.open !== undefined) return refusal
    written.push(patch)
    return { fence: 1, last_seq: 1, status: 'cancelling' as const, audit: [] }
  }
  const deps = { runs: { record }, audit: { offer: () => undefined }, ring: () => undefined }
  const walk: Writing = { head: { id: 'run_1' }, redactor: createRedactor([]), fence: 1, carried: DONE }
  return { deps, walk, written }
}

test('what a step has done and cost is recorded although its run is being cancelled, and nothing begins', async () => {
  const { deps, walk, written } = refusing({ refused: 'cancelling' })
  expect(await writePatch(deps, walk, { open: NEXT })).toEqual({ refused: 'cancelling' })
  expect(written).toMatchObject([{ settle: DONE.settle, events: DONE.events }])
  expect(walk.carried).toBeNull()
})

test('where the next step does not fit under the cap, it is recorded with the end of the run', async () => {
  const { deps, walk, written } = refusing({ refused: 'budget', scope: 'run', cap_micro_usd: 7 })
  expect(await writePatch(deps, walk, { open: NEXT })).toMatchObject({ refused: 'budget' })
  expect([written, walk.carried]).toEqual([[], DONE])
})
