import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
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
