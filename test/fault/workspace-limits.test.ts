import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WORK_MS = 150
let service: TestService
let target: Awaited<ReturnType<typeof startTarget>>

beforeAll(async () => {
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 2,
    env: { SVC_LANE_BACKGROUND: '4' },
  })
  target = await startTarget()
})
afterAll(async () => {
  await target?.close()
  await service?.stop()
})

/** Counts how many effects happen at once, by the workspace that its path names. */
async function startTarget() {
  const now = new Map<string, number>()
  const most = new Map<string, number>()
  const server = createServer((request, response) => {
    const [, who = ''] = (request.url ?? '').split('/')
    if (request.method !== 'POST') return void response.end('{}')
    const running = (now.get(who) ?? 0) + 1
    now.set(who, running)
    most.set(who, Math.max(most.get(who) ?? 0, running))
    setTimeout(() => {
      now.set(who, (now.get(who) ?? 1) - 1)
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    }, WORK_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    most: (who: string) => most.get(who) ?? 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

async function makeWorkspace(slug: string, limits: object): Promise<{ 'x-svc-workspace': string }> {
  const { status, body } = await service.call<{ id: string }>('POST', '/workspaces', { slug, name: slug, limits })
  expect(status).toBe(201)
  return { 'x-svc-workspace': body.id }
}

async function start(template: string, who: string, headers: Record<string, string>): Promise<string> {
  const { status, body } = await service.call<RunBody>(
    'POST',
    `/packs/crash/${template}/run`,
    { inputs: { url: `${target.url}/${who}` }, environment: 'development' },
    headers,
  )
  expect(status).toBe(202)
  return body.id
}

test('a workspace with a limit of one never has two operations at once, over two workers, and all its runs succeed', async () => {
  const narrow = await makeWorkspace('narrow', { background: 1 })
  const wide = await makeWorkspace('wide', {})
  const of = (headers: Record<string, string>, who: string) =>
    Promise.all(Array.from({ length: 8 }, (_, n) => start(n % 2 === 0 ? 'post' : 'short', who, headers)))
  const [limited, free] = await Promise.all([of(narrow, 'narrow'), of(wide, 'wide')])
  for (const id of limited) expect((await ended(service, id, PATIENCE.timeout, narrow)).status).toBe('succeeded')
  for (const id of free) expect((await ended(service, id, PATIENCE.timeout, wide)).status).toBe('succeeded')
  expect(target.most('narrow')).toBe(1)
  expect(target.most('wide')).toBeGreaterThan(1)
})

test('an approval in a workspace that is full counts at once, and acts when there is room', async () => {
  const headers = await makeWorkspace('gated', { background: 1 })
  const id = await start('gated', 'gated', headers)
  await service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval', PATIENCE.timeout, headers)
  const others = await Promise.all(Array.from({ length: 6 }, () => start('post', 'gated', headers)))
  const reply = await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' }, headers)
  expect(reply).toMatchObject({ status: 200, body: { status: 'approved', resolved: true } })
  for (const each of [id, ...others])
    expect((await ended(service, each, PATIENCE.timeout, headers)).status).toBe('succeeded')
  expect(target.most('gated')).toBe(1)
})

test('a daily cap holds over all environments of the workspace', async () => {
  const headers = await makeWorkspace('thrifty', { daily_usd: 0.05 })
  const runs = await Promise.all(Array.from({ length: 5 }, () => start('post', 'thrifty', headers)))
  const results = await Promise.all(runs.map((id) => ended(service, id, PATIENCE.timeout, headers)))
  expect(results.map((run) => run.status).sort()).toEqual(['failed', 'failed', 'failed', 'succeeded', 'succeeded'])
  for (const run of results.filter((each) => each.status === 'failed')) {
    expect(run.error).toMatchObject({ code: 'BudgetExceeded', message: expect.stringContaining("the workspace's cap") })
  }
  const [day] = await service.database.db<{ spent: number; reserved: number }[]>`
    select spent_micro_usd as spent, reserved_micro_usd as reserved from environment_budgets
    where workspace_id = ${headers['x-svc-workspace']} and environment = '*'`
  expect(day).toEqual({ spent: 40_000, reserved: 0 })
})
