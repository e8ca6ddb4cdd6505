import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import type { RunEvidence } from '#core/audit/evidence-schema.ts'
import { verifyEvidence } from '#core/audit/verify-evidence.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** nothing listens there */
const REFUSED = { url: 'http://127.0.0.1:9' }

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
})
afterAll(() => service?.stop())

test('a run that fails as recorded is not reported by the worker once more', async () => {
  const { id } = (await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', { inputs: REFUSED })).body
  expect((await ended(service, id)).status).toBe('failed')
  // what is logged after the end of a run is in the file before the next one ends
  const next = await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', { inputs: REFUSED })
  await ended(service, next.body.id)
  const log = await readFile(join(service.home, 'workers-main.ts.log'), 'utf8')
  expect(log.split('\n').filter((line) => line.includes('Workflow failed'))).toEqual([])
})

test('the evidence of a failed run holds, and outputs that its failed step never had do not', async () => {
  const { id } = (await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', { inputs: REFUSED })).body
  expect((await ended(service, id)).status).toBe('failed')
  const { body: evidence } = await vi.waitFor(async () => {
    const answer = await service.call<RunEvidence>('GET', `/runs/${id}/evidence`)
    expect(answer.body.records.map(({ event }) => event.action)).toContain('run.failed')
    return answer
  }, PATIENCE)
  const failed = evidence.steps.find(({ state }) => state === 'failed') ?? expect.fail('no step failed')
  expect(failed.outputs).toBeUndefined()
  expect(evidence.records.map(({ event }) => event.data)).toContainEqual(
    expect.objectContaining({ state: 'failed', attempt: failed.attempt }),
  )
  expect(faultsOf(evidence)).toEqual([])
  const forged = { digest: `sha256:${sha256('{"a":1}')}`, bytes: 7, value: { a: 1 } }
  const steps = evidence.steps.map((step) => (step === failed ? { ...step, outputs: forged } : step))
  expect(faultsOf({ ...evidence, steps })).toContainEqual(expect.stringContaining('has other outputs'))
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const faultsOf = (evidence: RunEvidence) => verifyEvidence(evidence, sha256).faults
