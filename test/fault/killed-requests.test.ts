import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { createDb, type Db } from '#store/db.ts'
import { killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { freePort } from '#test/support/free-ports.ts'
import { holdStatement } from '#test/support/hold-statement.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WITHIN_MS = PATIENCE.timeout

let demo: DemoService
let service: TestService
let owner: Db
let other: string
let api: ChildProcess

beforeAll(async () => {
  demo = await startDemoService()
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startCrashService({ postgres_url, temporal_address, workers: 1, api: false })
  const port = await freePort()
  other = `http://127.0.0.1:${port}`
  await service.startApi({ SVC_PORT: String(port) })
  owner = createDb(service.database.owner_url, { max: 3, name: 'test-holder', reservable: true })
})
afterAll(async () => {
  await owner?.end({ timeout: 1 })
  await service?.stop()
  await demo?.stop()
})

interface Asked {
  path: string
  body: object
  /** rows of what was asked for */
  count(): Promise<number>
}
interface Answer {
  status: number
  replayed: string | null
  body: string
}

async function send(url: string, { path, body }: Asked, key: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, replayed: answer.headers.get('idempotent-replayed'), body: await answer.text() }
}

/** What a repeat is told by the other process; the database notices the end of the dead one in a moment. */
async function ask(asked: Asked, key: string): Promise<Answer> {
  return await vi.waitFor(async () => {
    const answer = await send(other, asked, key)
    expect(answer.status, answer.body).not.toBe(409)
    return answer
  }, PATIENCE)
}

const counted = async (rows: PromiseLike<{ n: number }[]>) => (await rows)[0]?.n ?? 0

const ACTS: [string, string, () => Promise<Asked>][] = [
  [
    'a start',
    'runs',
    async () => {
      const reason = `killed ${Math.random()}`
      return {
        path: '/packs/crash/gated/run',
        body: { inputs: { url: demo.url }, reason },
        count: () => counted(owner`select count(*)::int as n from runs where reason = ${reason}`),
      }
    },
  ],
  [
    'a decision',
    'gate_decisions',
    async () => {
      const id = await startCrashRun(service, 'gated', { url: demo.url })
      await awaiting(service, id)
      return {
        path: `/runs/${id}/resume`,
        body: { decision: 'approve' },
        count: () =>
          counted(owner`
            select count(*)::int as n from gate_decisions d join gates g on g.id = d.gate_id where g.run_id = ${id}`),
      }
    },
  ],
  [
    'a halt',
    'halts',
    async () => {
      const reason = `killed ${Math.random()}`
      return {
        path: '/console/api/halts',
        body: { scope: { template: 'crash/later' }, reason },
        count: () => counted(owner`select count(*)::int as n from halts where reason = ${reason}`),
      }
    },
  ],
]

describe.each(ACTS)('%s under a key, whose API process is killed', (_act, table, prepare) => {
  test.each([
    ['before its transaction has committed', () => holdStatement(owner, table, 'insert'), false],
    [
      'after that, before the answer is kept',
      () => holdStatement(owner, 'idempotency_keys', 'update', 'new.status is not null'),
      true,
    ],
  ])(
    '%s, is done once, and the other process answers with it at once',
    async (_when, hold, keepsKey) => {
      api = await service.startApi()
      const asked = await prepare()
      const key = `key-${Math.random()}`
      const held = await hold()
      try {
        const lost = send(service.url, asked, key)
        lost.catch(() => undefined)
        const answered = lost.then((answer) => expect.fail(`it was not held: ${JSON.stringify(answer)}`))
        answered.catch(() => undefined)
        await Promise.race([held.reached(), answered])
        await killHard(api)
        await expect(lost).rejects.toThrow()
        // a worker records decisions, and what keeps the answer holds the key: such a statement goes on, and only then can anything be said
        if (table === 'gate_decisions' || keepsKey) await held.release()
        const answer = await ask(asked, key)
        expect(answer.status, answer.body).toBeLessThan(300)
        // what the dead process had sent goes on in the database, and comes too late
        await held.release()
        await held.ended()
        expect(await asked.count()).toBe(1)
        expect(await ask(asked, key)).toEqual({ ...answer, replayed: 'true' })
        expect(await asked.count()).toBe(1)
      } finally {
        await held.remove()
        if (api.exitCode === null && api.signalCode === null) await killHard(api)
      }
    },
    WITHIN_MS * 4,
  )
})
