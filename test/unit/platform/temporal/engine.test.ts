import { Client, type ConnectionLike } from '@temporalio/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEngine } from '#platform/temporal/engine.ts'

const RUN = {
  title: 'Hello',
  template: 'demo/hello',
  environment: 'dev',
  run_id: 'run_1',
  workspace_id: 'ws_1',
  lane: 'realtime',
} as const
const BY = {
  by: 'usr_1',
  display: 'Ada',
  type: 'user',
  roles: [] as string[],
  asserted: false,
  channel: 'api',
} as const
const DECISION = { ...BY, decision_id: 'dec_1', gate_id: 'gate_1', kind: 'approve' } as const
const CANCEL = { ...BY, decision_id: 'dec_2' }

/** An engine whose server answers every call with this status of gRPC. */
function engineThatAnswers(code: number) {
  const answer = async () => {
    throw Object.assign(new Error(`status ${code}`), { code, details: `status ${code}`, metadata: { get: () => [] } })
  }
  const connection: Partial<ConnectionLike> = {
    workflowService: new Proxy({}, { get: () => answer }) as ConnectionLike['workflowService'],
    withDeadline: (_deadline, call) => call(),
    ensureConnected: async () => {},
    plugins: [],
  }
  return createEngine(new Client({ connection: connection as ConnectionLike }))
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** What the call comes to when it is tried for as long as it may be. */
async function refusalOf(call: Promise<unknown>) {
  const refused = call.then(
    () => undefined,
    (error: unknown) => error,
  )
  await vi.advanceTimersByTimeAsync(15_000)
  return await refused
}

const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14
const DEADLINE_EXCEEDED = 4

describe('an engine that cannot do what it was asked for', () => {
  it.each([
    [RESOURCE_EXHAUSTED, 'dependency_unavailable', 'too many starts at once'],
    [UNAVAILABLE, 'dependency_unavailable', 'the workflow engine cannot be reached'],
    [13, 'dependency_unavailable', 'the workflow engine failed'],
  ])('to a start, status %d is %s: %s', async (status, code, message) => {
    expect(await refusalOf(engineThatAnswers(status).start(RUN))).toMatchObject({ code, message })
  })

  it.each([
    [RESOURCE_EXHAUSTED, 'rate_limited', 'too many decisions at once'],
    [UNAVAILABLE, 'dependency_unavailable', 'the workflow engine cannot be reached'],
    [DEADLINE_EXCEEDED, 'dependency_unavailable', 'no worker has answered in time; the decision may still take effect'],
  ])('to a decision, status %d is %s: %s', async (status, code, message) => {
    expect(await refusalOf(engineThatAnswers(status).decide('run_1', DECISION))).toMatchObject({ code, message })
  })

  it('to a cancellation, that is one of too many', async () => {
    const refused = await refusalOf(engineThatAnswers(RESOURCE_EXHAUSTED).cancel('run_1', CANCEL))
    expect(refused).toMatchObject({ code: 'rate_limited', message: 'too many cancellations at once' })
  })
})
