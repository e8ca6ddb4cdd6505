import type { ChildProcess } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type ProcessLab, processLab, runs } from '#test/support/process-lab.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WITHIN_MS = PATIENCE.timeout

let lab: ProcessLab
let service: TestService
let worker: ChildProcess

beforeAll(async () => {
  lab = await processLab()
  // the job may belong to another user than the worker
  await mkdir(join(lab.folder, 'logs'))
  await chmod(join(lab.folder, 'logs'), 0o777)
  const { name, command, user } = lab.allow(
    await lab.script('job', `trap '' TERM; sleep 600 & echo $$ $! >> "$1"; while :; do wait; done`),
  )
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startCrashService({ postgres_url, temporal_address })
  await mkdir(join(service.home, 'environments'), { recursive: true })
  const args = ['/[a-z/A-Z0-9-]+']
  const allowed = { name, command, args, limits: { grace: '200ms' }, ...(user !== undefined && { user }) }
  const file = { name: 'development', egress: ['loopback'], processes: [allowed] }
  await writeFile(join(service.home, 'environments', 'development.yaml'), JSON.stringify(file))
  worker = await service.startWorker()
})
afterAll(async () => {
  await service.stop()
  await lab.remove()
})

/** Starts the job, and answers with its run and the processes of each time that it was started. */
async function startJob(log: string) {
  const path = join(lab.folder, 'logs', log)
  const id = await startCrashRun(service, 'process', { log: path })
  const started = async () =>
    (await readFile(path, 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ').map(Number))
  await expect.poll(started, PATIENCE).toHaveLength(1)
  return { id, started }
}

const running = async (pids: number[][]) => await Promise.all(pids.flat().map(runs))
const GONE = [false, false]

test('a job that ignores a cancel is killed with its children, and charged once', async () => {
  const { id, started } = await startJob('cancelled')
  expect(await running(await started())).toEqual([true, true])
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  expect(await ended(service, id, WITHIN_MS)).toMatchObject({ status: 'cancelled', gpu_usd: 0.25 })
  await expect.poll(async () => running(await started()), PATIENCE).toEqual(GONE)
  expect(await started()).toHaveLength(1)
  await proveRunRecord(service.database.db, id)
})

test('a job whose worker is killed ends with it; a person is asked before it runs again', async () => {
  const { id, started } = await startJob('killed')
  await killHard(worker)
  await expect.poll(async () => running(await started()), PATIENCE).toEqual(GONE)
  await service.startWorker()
  await service.until<RunBody>(`/runs/${id}`, ({ status }) => status === 'awaiting_approval', WITHIN_MS)
  const { body } = await service.call<{ because: string[] }>('GET', `/runs/${id}/pending-approval`)
  expect(body.because).toContain('outcome_unknown')
  expect(await started()).toHaveLength(1)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'reject' })).status).toBe(200)
  expect(await ended(service, id, WITHIN_MS)).toMatchObject({ status: 'rejected', gpu_usd: 0.25 })
  await proveRunRecord(service.database.db, id)
  await proveAudit(service.database.db, service.home)
})
