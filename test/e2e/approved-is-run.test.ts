import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))

/** where the environment finds the url of its connection */
const place = mkdtempSync(join(tmpdir(), 'svc-shown-'))
const connectTo = (url: string) => writeFile(join(place, 'api-url'), url.replace('://', '://svc:s3cret@'))

let service: TestService
const started: Canary[] = []
const canary: typeof startCanary = async (answer) => {
  const one = await startCanary(answer)
  started.push(one)
  return one
}

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    files: {
      'environments/development.yaml': `name: development\nconnections: { api: { kind: http, url: "file:${place}/api-url" } }\n`,
    },
  })
})
afterAll(async () => {
  await service.stop()
  rmSync(place, { recursive: true })
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

async function start(template: string, inputs: object): Promise<string> {
  const { status, body } = await service.call<RunBody>('POST', `/packs/shown/${template}/run`, { inputs })
  expect(status, JSON.stringify(body)).toBe(202)
  await awaiting(service, body.id)
  return body.id
}

const pendingOf = async (id: string) =>
  (await service.call<PendingApproval>('GET', `/runs/${id}/pending-approval`)).body
const approve = (id: string, { plan_hash }: Pick<PendingApproval, 'plan_hash'>) =>
  service.call<{ code?: string }>('POST', `/runs/${id}/resume`, { decision: 'approve', plan_hash })

describe('an approved effect', () => {
  test('that is answered with a redirect goes nowhere else, and the record says where it was pointed', async () => {
    const other = await canary()
    const target = await canary((_request, response) =>
      response.writeHead(307, { location: `${other.url}/rollback` }).end(),
    )
    const id = await start('post', { url: `${target.url}/restart` })
    await approve(id, await pendingOf(id))
    expect(await ended(service, id)).toMatchObject({
      status: 'failed',
      error: { code: 'redirected', details: { status: 307, location: `${other.url}/rollback` } },
    })
    expect([target.requests.length, other.connections()]).toEqual([1, 0])
  })

  test('is shown as it is sent', async () => {
    const target = await canary()
    const id = await start('post', { url: `${target.url}/safe/../restart?key=k&token=t`, note: 'pay\u202elbon' })
    const pending = await pendingOf(id)
    expect(pending.plan.summary).toBe(`POST ${target.url}/restart?key=k&token=t`)
    expect(pending.plan.command).toContain("--data-raw 'pay\\u{202e}lbon'")
    expect(pending.inputs['body']).toBe('pay\\u{202e}lbon')
    await approve(id, pending)
    await ended(service, id)
    expect(target.requests).toMatchObject([{ url: '/restart?key=k&token=t', body: 'pay\u202elbon' }])
  })
})

describe('while a gate is open', () => {
  test('a connection that leads elsewhere is another plan: the approval of the old one does not act', async () => {
    const [first, second] = [await canary(), await canary()]
    await connectTo(first.url)
    const id = await start('through', {})
    const shown = await pendingOf(id)
    expect(shown.operation.connection).toEqual({
      id: 'api',
      kind: 'http',
      host: new URL(first.url).host,
      base_url: `${first.url}/`,
      user: 'svc',
    })
    await connectTo(second.url)
    await approve(id, shown)
    const now = await service.until<PendingApproval>(
      `/runs/${id}/pending-approval`,
      (pending) => pending.gate_id !== undefined && pending.gate_id !== shown.gate_id,
    )
    expect(now).toMatchObject({
      because: expect.arrayContaining(['plan_changed']),
      operation: { connection: { host: new URL(second.url).host } },
    })
    expect([first.connections(), second.connections()]).toEqual([0, 0])
    expect(await approve(id, shown)).toMatchObject({ status: 409, body: { code: 'plan_changed' } })
    await approve(id, now)
    expect((await ended(service, id)).status).toBe('succeeded')
    expect([first.requests.length, second.requests.length]).toEqual([0, 1])
    expect(JSON.stringify([shown, now])).not.toContain('s3cret')
  })
})
