import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RemoteJobRecord } from '#core/remote-job/schema.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { type OwnWorker, startOwnWorker } from '#test/support/own-worker.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let worker: OwnWorker
let visitors: Visitors
let owner: Member

async function job(how: string, isThere: (job: RemoteJobRecord) => boolean): Promise<RemoteJobRecord> {
  const sent = { inputs: { do: how }, environment: 'development' }
  const { body } = await service.call<RunBody>('POST', '/packs/remote/once/run', sent, owner.headers)
  const path = `/console/api/remote-jobs?run_id=${body.id}`
  const [found] = await service.until<RemoteJobRecord[]>(
    path,
    ([newest]) => newest !== undefined && isThere(newest),
    PATIENCE.timeout,
    owner.headers,
  )
  if (found === undefined) throw new Error(`${body.id} has no job`)
  return found
}

describe('remote jobs in the console', needs('chromium'), () => {
  beforeAll(async () => {
    const temporal_address = inject('temporal_address')
    service = await startTestService({
      ...{ postgres_url: inject('postgres_url'), temporal_address },
      env: { ...AUTH_ENV, SVC_PACKS_DIR: fileURLToPath(new URL('../packs/remote', import.meta.url)) },
      files: { 'environments/development.yaml': 'name: development\n' },
      api: false,
      workers: 0,
    })
    worker = await startOwnWorker({ address: temporal_address, namespace: service.namespace })
    const queues = { ml: { task_queue: worker.taskQueue } }
    await writeFile(
      join(service.home, 'environments/development.yaml'),
      JSON.stringify({ name: 'development', queues }),
    )
    await service.startApi()
    await service.startWorker()
    owner = (await createIdentities(service)).owner
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await worker?.stop()
    await service?.stop()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  const table = (page: Page) => page.getByRole('table', { name: 'Remote jobs' })

  test('are listed, and say where they are, since when and how far', async () => {
    const failed = await job('fail', ({ state }) => state === 'failed')
    const out = await job('slow', ({ state }) => state === 'running')
    const page = await visitors.open(owner, '/console/remote-jobs')
    await table(page).getByText(out.run_id).waitFor()
    await table(page).getByText(failed.run_id).waitFor()
    await looksSound(page)
    await page.goto(`${service.url}/console/remote-jobs?state=running`)
    await page.getByText('1 job', { exact: true }).waitFor()
    expect(await table(page).getByText(failed.run_id).count()).toBe(0)

    await table(page).getByRole('link', { name: 'work' }).click()
    await page.getByText('"step":').waitFor()
    await page.getByText('Waited for until').waitFor()
    // what a worker says is text
    await page.getByText('evil \\u{202e} text').waitFor()
    await looksSound(page)
    worker.release(out.run_id)
    await page.getByText('returned', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Remote jobs' }).click()
    await page.waitForURL(/\/remote-jobs$/)
    await table(page).getByText(failed.run_id).waitFor()
  })

  test("are led to from the run's step, and found by what people call them", async () => {
    const { id, run_id } = await job('fail', ({ state }) => state === 'failed')
    const page = await visitors.open(owner, `/console/runs/${run_id}`)
    await page.getByRole('button', { name: 'Details of job' }).click()
    await page.getByRole('link', { name: 'Open the remote job' }).click()
    await page.waitForURL(new RegExp(`/remote-jobs/${id}`))
    await page.getByText('activity_failed: no device is free').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('own worker')
    await page.getByRole('option', { name: 'Remote jobs' }).click()
    await page.waitForURL(/\/remote-jobs$/)
    await table(page).getByText(run_id).waitFor()
  })
})
