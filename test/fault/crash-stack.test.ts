import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { createDb } from '#store/db.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { startCrashRun } from '#test/support/crash-service.ts'
import { type CrashStack, crashPorts, startCrashStack } from '#test/support/crash-stack.ts'
import { createTestHome } from '#test/support/embedded.ts'
import { PATIENCE } from '#test/support/patience.ts'
import type { RunBody } from '#test/support/recovery.ts'

const WITHIN_MS = PATIENCE.timeout

let home: Awaited<ReturnType<typeof createTestHome>>
let ports: Record<string, string>
let stack: CrashStack
let demo: DemoService
/** every run of the file, and how it has to end */
const expected = new Map<string, 'succeeded' | 'rejected'>()

beforeAll(async () => {
  demo = await startDemoService()
  home = await createTestHome()
  ports = await crashPorts()
  stack = await startCrashStack(home.home, ports)
})
afterAll(async () => {
  await stack.stop()
  await demo.stop()
  await home.remove()
})

const awaiting = (id: string) =>
  stack.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval', WITHIN_MS)
const acted = (id: string) => demo.state().actions.filter((action) => action.key === `${id}:act`).length

/** Parks one run, and has another one in the middle of its operator. */
async function parkAndAct(): Promise<{ parked: string; running: string }> {
  await setLatency(0)
  const parked = await startCrashRun(stack, 'gated', { url: demo.url })
  await awaiting(parked)
  await setLatency(1_500)
  const running = await startCrashRun(stack, 'post', { url: demo.url })
  await until(() => demo.state().keys[`${running}:act`] !== undefined, 'the operator at work')
  expected.set(parked, 'succeeded').set(running, 'succeeded')
  return { parked, running }
}

async function setLatency(ms: number): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  fetch(`${demo.url}/latency`, { method: 'POST', body: JSON.stringify({ ms }), headers }).catch(() => undefined)
  await until(() => demo.state().latency_ms === ms, 'the latency')
}

async function until(done: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  while (!done()) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Repeats a decision until it is taken: a dependency on its way back answers 503, and a decision lost with its answer is found taken. */
async function decide(id: string, decision: 'approve' | 'reject'): Promise<void> {
  const taken = async () => {
    const reply = await stack.call<{ code?: string }>('POST', `/runs/${id}/resume`, { decision })
    const isTaken = reply.status === 200 || (reply.status === 409 && reply.body.code !== 'conflict')
    expect(isTaken, JSON.stringify(reply)).toBe(true)
  }
  await vi.waitFor(taken, { timeout: WITHIN_MS, interval: 100 })
}

const finished = (id: string) =>
  stack.until<RunBody>(`/runs/${id}`, (run) => run.status === expected.get(id), WITHIN_MS)

test('PostgreSQL is killed under a parked and a running run: both end as if nothing had been', async () => {
  const { parked, running } = await parkAndAct()
  await stack.killPostgres()
  await finished(running)
  await decide(parked, 'approve')
  await finished(parked)
})

test('Temporal is killed under a parked and a running run: both end as if nothing had been', async () => {
  const { parked, running } = await parkAndAct()
  await stack.killTemporal()
  await decide(parked, 'approve')
  await finished(running)
  await finished(parked)
})

test('everything is killed at once, and starts again on the same data: every gate can be answered', async () => {
  await setLatency(0)
  const refused = await startCrashRun(stack, 'gated', { url: demo.url })
  const delayed = await startCrashRun(stack, 'later', { url: demo.url, for: '5s' })
  expected.set(refused, 'rejected').set(delayed, 'succeeded')
  await awaiting(refused)
  const { parked, running } = await parkAndAct()
  await stack.killEverything()
  stack = await startCrashStack(home.home, ports)
  await decide(refused, 'reject')
  await decide(parked, 'approve')
  for (const id of [refused, delayed, parked, running]) await finished(id)
})

test('everything is killed while a short step acts that was approved a moment ago: its run ends, and asks nobody again', async () => {
  await setLatency(0)
  const approved = await startCrashRun(stack, 'gatedshort', { url: demo.url })
  expected.set(approved, 'succeeded')
  await awaiting(approved)
  await setLatency(900)
  await decide(approved, 'approve')
  await until(() => demo.state().keys[`${approved}:act`] !== undefined, 'the operator at work')
  await stack.killEverything()
  await setLatency(0)
  stack = await startCrashStack(home.home, ports)
  await finished(approved)
})

test('the record of all of it is whole: gapless events, money that adds up, one unbroken audit chain, one effect each', async () => {
  const db = createDb(await stack.databaseUrl(), { max: 2 })
  try {
    for (const [id, status] of expected) {
      await proveRunRecord(db, id)
      expect(acted(id), id).toBe(status === 'succeeded' ? 1 : 0)
    }
    expect(demo.state().actions).toHaveLength([...expected.values()].filter((status) => status === 'succeeded').length)
    await proveAudit(db, home.home)
  } finally {
    await db.end({ timeout: 1 })
  }
  expect(await stack.stop()).toBe(0)
})
