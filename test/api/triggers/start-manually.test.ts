import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { StartedRun } from '#api/schemas/triggers.ts'
import { Run } from '#core/run/schema.ts'
import { createLocalTokens } from '#platform/tokens.ts'
import { createTestApi, startingEngine, TEST_MASTER_KEY, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { STARTS } from '#test/support/start-refusals.ts'
import { finishTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('startManually')
itRefuses('startManually', sharedWorld, [
  [403, 'policy_denied', STARTS.denied],
  [403, 'frozen', STARTS.frozen],
  [423, 'halted', STARTS.halted],
  [409, 'plan_changed', STARTS.ofAnotherPlan],
  [501, 'not_configured', STARTS.withoutKey],
])

/** what the engine does with a run that was started */
let carry: (runId: string) => Promise<unknown> = async () => {}

const database = testDatabase()
const api = testApi(database, {
  services: { engine: startingEngine(async ({ run_id }) => void (await carry(run_id))) },
})

const start = (more: object = {}, headers: Record<string, string> = {}) =>
  api.post('/triggers/manual', { pack: 'incident', template: 'service-recovery', ...more }, headers)

async function recordOf(response: Response) {
  const { run_id } = z.strictObject(StartedRun.shape).parse(await response.json())
  return Run.parse(await (await api.get(`/runs/${run_id}`)).json())
}

const LOCAL = createLocalTokens(TEST_MASTER_KEY, Date.now)

describe('POST /triggers/manual', () => {
  it('answers 202 with the run and where it is, and says that it was started by hand', async () => {
    carry = async () => {}
    const response = await start({ inputs: { url: 'http://127.0.0.1:1' }, reason: 'why', environment: 'development' })
    expect(response.status).toBe(202)
    const location = response.headers.get('location')
    const run = await recordOf(response)
    expect(location).toBe(`/runs/${run.id}`)
    expect(run).toMatchObject({ status: 'queued', reason: 'why', lane: 'background' })
    expect(run.provenance).toMatchObject({ trigger: { type: 'manual' }, actor: { id: 'usr_local' } })
  })

  it.each([
    ['alone', {}, {}, 'background'],
    ['waited for', { wait: true, wait_timeout_s: 0.1 }, {}, 'realtime'],
    ['from the console', {}, { client: 'svc-console' }, 'realtime'],
    ['from the command line', {}, { client: 'svc-cli' }, 'background'],
    ['from who says to be the console', {}, { 'x-svc-channel': 'console' }, 'background'],
    ['from the console, sent down', { lane: 'background' }, { client: 'svc-console' }, 'background'],
    ['waited for, sent down', { wait: true, wait_timeout_s: 0.1, lane: 'background' }, {}, 'background'],
  ])(
    'a start %s runs in the lane that it is due',
    async (_how, body, { client, ...said }: Record<string, string>, lane) => {
      carry = async () => {}
      const headers = client === undefined ? said : { authorization: `Bearer ${await LOCAL.issue(client)}` }
      expect((await recordOf(await start(body, headers))).lane).toBe(lane)
    },
  )

  it('nobody asks for the realtime lane, a cap or fewer gates', async () => {
    for (const knob of [{ lane: 'realtime' }, { cap_usd: 9 }, { requires_approval: false }, { provenance: {} }]) {
      expect([knob, (await start(knob)).status]).toEqual([knob, 422])
    }
  })

  it.each([0, 121, -1, '30'])('wait_timeout_s %j is a violation', async (wait_timeout_s) => {
    expect((await start({ wait: true, wait_timeout_s })).status).toBe(422)
  })

  it('answers 200 with the full record when the run ends while it is waited for', async () => {
    carry = (runId) => finishTestRun(api, runId)
    const response = await start({ wait: true, wait_timeout_s: 20 })
    expect(response.status).toBe(200)
    expect(z.strictObject(Run.shape).parse(await response.json())).toMatchObject({ status: 'succeeded' })
  })

  it('a run that fails is an answer too', async () => {
    carry = (runId) => finishTestRun(api, runId, undefined, 'failed')
    const response = await start({ wait: true, wait_timeout_s: 20 })
    expect([response.status, Run.parse(await response.json()).status]).toEqual([200, 'failed'])
  })

  it('answers 202 as soon as the run waits at a gate', async () => {
    carry = (runId) => parkTestRun(api, runId)
    const response = await start({ wait: true, wait_timeout_s: 60 })
    expect(response.status).toBe(202)
    const body = StartedRun.parse(await response.json())
    expect(body.status).toBe('awaiting_approval')
    expect(response.headers.get('location')).toBe(`/runs/${body.run_id}`)
  })

  it('answers 202 when the time is over, and lets go of the stream', async () => {
    carry = async () => {}
    const response = await start({ wait: true, wait_timeout_s: 0.1 })
    expect([response.status, StartedRun.parse(await response.json()).status]).toEqual([202, 'queued'])
    expect(api.deps.hub.openStreams()).toBe(0)
  })

  it('a caller that leaves frees its wait, and its run goes on', async () => {
    const leaving = new AbortController()
    let runId = ''
    carry = async (id) => {
      runId = id
    }
    const waiting = api.app.request('/triggers/manual', {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pack: 'incident', template: 'service-recovery', wait: true, wait_timeout_s: 120 }),
    })
    await vi.waitFor(() => expect(api.deps.hub.openStreams()).toBe(1), PATIENCE)
    leaving.abort()
    const response = await waiting
    expect(response.status).toBe(202)
    expect(api.deps.hub.openStreams()).toBe(0)
    expect((await api.get(`/runs/${runId}`)).status).toBe(200)
  })

  it('a workspace without a stream to spare is answered at once, never with a failure after the start', async () => {
    carry = async () => {}
    const crowded = await createTestApi(database, { hub: { max_per_workspace: 0 }, services: api.deps.services })
    try {
      const response = await crowded.post('/triggers/manual', {
        pack: 'incident',
        template: 'service-recovery',
        wait: true,
      })
      expect(response.status).toBe(202)
    } finally {
      await crowded.close()
    }
  })

  it('a repeat with the same key is the same run', async () => {
    carry = async () => {}
    const first = await recordOf(await start({}, { 'idempotency-key': 'by-hand' }))
    expect((await recordOf(await start({}, { 'idempotency-key': 'by-hand' }))).id).toBe(first.id)
  })

  it('an unknown template is 404; inputs go up to 5 MiB and no further', async () => {
    expect((await start({ template: 'unknown' })).status).toBe(404)
    expect((await start({ inputs: { text: 'x'.repeat(4_000_000) } })).status).toBe(202)
    expect((await start({ inputs: { text: 'x'.repeat(5_300_000) } })).status).toBe(413)
  })
})
