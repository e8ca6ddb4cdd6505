import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Artifact } from '#core/run/schema.ts'
import { exitSignal } from '#test/support/crash-service.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { S3_SECRET, type S3Server, startS3Server } from '#test/support/s3-server.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/objects', import.meta.url))
const TEXT = 'what was given'

let service: TestService
let server: S3Server

beforeAll(async () => {
  server = await startS3Server()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    workers: 0,
  })
  const connection = { name: 'bucket', kind: 's3', config: server.config, secret: S3_SECRET, workspaces: ['*'] }
  expect((await service.call('POST', '/ui/api/connections', connection)).status).toBe(201)
  const connections = { store: { kind: 's3', url: 'connection:bucket' } }
  await service.call('PUT', '/ui/api/environments/development', { name: 'development', connections })
  const backends = { object_store: 's3', object_connection: 'bucket' }
  expect((await service.call('PUT', '/ui/api/environments/development/backends', backends)).status).toBe(200)
})
afterAll(async () => {
  await service.stop()
  await server.close()
})

async function start(): Promise<string> {
  const { status, body } = await service.call<RunBody>('POST', '/packs/objects/copy/run', { inputs: { text: TEXT } })
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}
const artifactsOf = async (id: string) => (await service.call<Artifact[]>('GET', `/runs/${id}/artifacts`)).body
const keysOf = (id: string) => [...server.objects.keys()].filter((key) => key.includes(`/${id}/`))
async function approve(id: string): Promise<void> {
  await awaiting(service, id)
  const { body } = await service.call<{ plan_hash: string }>('GET', `/runs/${id}/pending-approval`)
  const decision = { decision: 'approve', plan_hash: body.plan_hash }
  expect((await service.call('POST', `/runs/${id}/resume`, decision)).status).toBe(200)
}

test('a worker that dies after a put leaves one object, which the next one records', async () => {
  const dying = exitSignal(await service.startWorker({ SVC_KILL_POINT: 'after_artifacts' }))
  const id = await start()
  await approve(id)
  expect(await dying).toBe('SIGKILL')
  expect([keysOf(id).length, (await artifactsOf(id)).length]).toEqual([1, 0])
  await service.startWorker()
  expect((await ended(service, id)).status).toBe('succeeded')
  expect([keysOf(id).length, (await artifactsOf(id)).length]).toEqual([2, 2])
})

test('a run writes an object, reads it back, and leaves its artifacts in the bucket, of which a swapped one is not handed out', async () => {
  const id = await start()
  await approve(id)
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(server.objects.get(`given/${id}.txt`)?.body.toString()).toBe(TEXT)
  const [given, report] = await artifactsOf(id)
  expect([given?.name, report?.name, keysOf(id).length]).toEqual(['given.txt', 'report.md', 2])
  const path = `${service.url}${given?.links.download}`
  const redirect = await fetch(path, { redirect: 'manual' })
  expect([redirect.status, redirect.headers.get('x-svc-digest')]).toEqual([302, given?.digest])
  // a client that follows it needs to know nothing of it
  expect(await (await fetch(path)).text()).toBe(TEXT)
  expect(await (await fetch(`${service.url}/runs/${id}/report`)).text()).toContain('It is 14 bytes.')
  const key = keysOf(id).find((each) => each.includes(given?.digest.slice('sha256:'.length) ?? ''))
  server.swap(key ?? '', 'what was gives')
  expect((await fetch(path)).status).toBe(502)
})
