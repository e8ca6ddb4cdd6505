import { expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { openGate } from '#test/support/park-gate.ts'
import { runDraft } from '#test/support/run-drafts.ts'

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

async function sealedOf(id: string): Promise<string | undefined> {
  const [row] = await database.db<{ sealed: string }[]>`select sealed from run_secrets where run_id = ${id}`
  return row?.sealed
}

async function admitted(changes: Partial<RunDraft>): Promise<string> {
  const draft = runDraft({ fingerprint: null, ...changes })
  await runs.admit([draft])
  return draft.id
}

test('a run is admitted together with its secrets, and its leg finds them', async () => {
  const id = await admitted({ sealed: 'sealed-text' })
  expect(await sealedOf(id)).toBe('sealed-text')
  expect(await runs.take(id)).toMatchObject({ head: { id, sealed: 'sealed-text' } })
  const without = await admitted({})
  expect(await runs.take(without)).toMatchObject({ head: { id: without, sealed: null } })
})

test('an alert that folds onto a run leaves the secrets of that run alone', async () => {
  const first = runDraft({ fingerprint: 'fold', sealed: 'first' })
  const second = runDraft({ fingerprint: 'fold', sealed: 'second' })
  await runs.admit([first])
  await runs.admit([second])
  expect(await sealedOf(first.id)).toBe('first')
  expect(await sealedOf(second.id)).toBeUndefined()
})

test.each(['succeeded', 'failed', 'rejected', 'cancelled', 'expired'] as const)(
  'a run that ends as %s takes its secrets along',
  async (status) => {
    const id = await admitted({ sealed: 'sealed-text' })
    await runs.record({ run_id: id, take_fence: true, run: { status: 'running' } })
    // only a run that waits can be rejected, or expire
    if (status === 'rejected' || status === 'expired')
      await openGate(runs, { run_id: id, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'realtime' })
    expect(await sealedOf(id)).toBe('sealed-text')
    const error = { code: 'internal', message: 'x', retryable: false }
    await runs.record({ run_id: id, take_fence: true, run: { status, ...(status === 'failed' ? { error } : {}) } })
    expect(await sealedOf(id)).toBeUndefined()
  },
)

test('the services can neither change nor remove what was sealed', async () => {
  const id = await admitted({ sealed: 'sealed-text' })
  const denied = { code: '42501' }
  await expect(database.db`update run_secrets set sealed = 'other' where run_id = ${id}`).rejects.toMatchObject(denied)
  await expect(database.db`delete from run_secrets where run_id = ${id}`).rejects.toMatchObject(denied)
})
