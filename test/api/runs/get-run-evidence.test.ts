import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RunEvidence } from '#core/audit/evidence-schema.ts'
import { evidenceDigest, verifyEvidence } from '#core/audit/verify-evidence.ts'
import { testApi } from '#test/support/api-client.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { failTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getRunEvidence')

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const database = testDatabase()
const api = testApi(database)

describe('GET /runs/{id}/evidence', () => {
  it('is a file with the run, its steps, its records and the end of the chain', async () => {
    const id = await failTestRun(api)
    await failTestRun(api)
    const head = await chainWaiting(database.db)
    const answer = await api.get(`/runs/${id}/evidence`)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.evidence.json"`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const evidence = RunEvidence.parse(await answer.json())
    expect(evidence).toMatchObject({ complete: true, head, run: { id, status: 'failed' } })
    expect(evidence.steps[0]).toMatchObject({ id: 'evidence', outputs: { value: { status: 503 } } })
    const seqs = evidence.records.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
    expect(evidence.records.every(({ event }) => event.run_id === id)).toBe(true)
    expect(evidenceDigest(evidence, sha256)).toBe(evidence.digest)
    // what tests write by hand has no record of its end, and says so
    const { faults } = verifyEvidence(evidence, sha256)
    expect(faults.filter((fault) => !/who asked for the run|has ended as/.test(fault))).toEqual([])
  })
})
