import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WORK_MS = 200
const NOISY = 50
let service: TestService
let target: Server
let url: string

beforeAll(async () => {
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 1,
  })
  target = createServer((request, response) => {
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), WORK_MS)
    request.resume()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => target.once('listening', resolve))
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
})
afterAll(async () => {
  await service?.stop()
  target?.close()
})

async function makeWorkspace(slug: string): Promise<{ 'x-svc-workspace': string }> {
  const { body } = await service.call<{ id: string }>('POST', '/workspaces', { slug, name: slug })
  return { 'x-svc-workspace': body.id }
}

async function start(headers: Record<string, string>): Promise<string> {
  const inputs = { inputs: { url }, environment: 'development' }
  const { status, body } = await service.call<RunBody>('POST', '/packs/crash/post/run', inputs, headers)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

async function succeeded(headers: Record<string, string>): Promise<number> {
  const { body } = await service.call<{ status: string }[]>(
    'GET',
    '/runs?status=succeeded&limit=200',
    undefined,
    headers,
  )
  return body.length
}

test('a workspace with a long queue does not make another one wait behind it', async () => {
  const [noisy, quiet] = await Promise.all([makeWorkspace('noisy'), makeWorkspace('quiet')])
  const queue = await Promise.all(Array.from({ length: NOISY }, () => start(noisy)))
  const mine = await Promise.all([start(quiet), start(quiet)])
  for (const id of mine)
    expect(await ended(service, id, PATIENCE.timeout, quiet)).toMatchObject({ status: 'succeeded' })
  // first come, first served would have made it wait for all of them
  expect(await succeeded(noisy)).toBeLessThan(NOISY / 2)
  for (const id of queue)
    expect(await ended(service, id, PATIENCE.timeout, noisy)).toMatchObject({ status: 'succeeded' })
})
