import { describe, expect, inject, test } from 'vitest'
import type { AdvanceOutcome } from '#core/contract.ts'
import { poll } from '#platform/embedded/processes.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { closes, type Execution, fails, parks, runsUntilCancelled } from '#test/support/scripted-activities.ts'
import { startScriptedRuns } from '#test/support/scripted-runs.ts'

/** Whoever stalls a run with an answer stalls it for no longer than this. */
const SECONDS = 15_000

const runs = fileFixture(() => startScriptedRuns(inject('temporal_address')))

/** Somebody else has taken the execution and answered it: nothing has happened, and the result is theirs. */
const forges =
  (result: unknown): Execution =>
  () =>
    result as AdvanceOutcome

/** the execution was carried out, and its result was replaced on the way. */
const parksAs =
  (result: unknown): Execution =>
  async (execution) => {
    await parks()(execution)
    return result as AdvanceOutcome
  }

const RESULTS: Record<string, unknown> = {
  nothing: null,
  text: 'closed',
  'a list': [],
  'an unknown kind': { kind: 'forged' },
  'an unknown end': { kind: 'closed', status: 'approved' },
  'a gate of nobody': { kind: 'parked', gate_id: 'gate_of_nobody', step: 'act', wait_ms: 10 ** 12 },
  'a gate without a step': { kind: 'parked', gate_id: 'gate_of_nobody', wait_ms: 'soon' },
  'a gate with a name that no timer can carry': { kind: 'parked', gate_id: 'gate_of_nobody', step: 'x'.repeat(10_000) },
  'a delay of days': { kind: 'delayed', delay_ms: 10 ** 9, reason: 'forged' },
  'a delay that is no number': { kind: 'delayed', delay_ms: 'soon', reason: 'forged' },
  'a cancellation': { kind: 'cancelling' },
}

describe('an execution that somebody else has answered', () => {
  test.concurrent.each(Object.entries(RESULTS))(
    'with %s is done again',
    async (name, result) => {
      const open = new Promise<void>((resolve) => {
        runs.activities.script(`forged ${name}`, [forges(result), parks({ onParked: () => resolve() }), closes])
      })
      const run = await runs.start(`forged ${name}`)
      await open
      await run.decide('approve')
      expect(await run.result()).toEqual({ status: 'succeeded' })
      expect(runs.activities.executions(run.run_id)).toBe(3)
    },
    SECONDS,
  )

  test.concurrent.each([
    ...Object.entries(RESULTS),
    ['a delay of seconds', { kind: 'delayed', delay_ms: 14_000, reason: 'forged' }],
  ] as const)(
    'with %s, when it had parked the run, keeps nobody from deciding',
    async (name, result) => {
      const run = await runs.start(`parked as ${name}`, [parksAs(result), closes])
      await run.parked()
      await run.decide('approve')
      expect(await run.result()).toEqual({ status: 'succeeded' })
    },
    SECONDS,
  )

  test('for good, ends its run with what was said as a claim', async () => {
    const run = await runs.start('forged failure', [fails])
    expect(await run.result()).toEqual({ status: 'failed' })
    expect(runs.activities.failures).toEqual([{ run_id: 'forged failure', failure: expect.any(String) }])
  })
})

describe('a delay that stands on record', () => {
  test('is waited for, and an execution that comes early changes nothing', async () => {
    const waits: Execution = (execution) => {
      execution.delay(17_000)
      return { kind: 'delayed', delay_ms: 17_000, reason: 'step wait' }
    }
    const run = await runs.start('long delay', [waits, closes])
    const began = Date.now()
    expect(await run.result()).toEqual({ status: 'succeeded' })
    expect(Date.now() - began).toBeGreaterThan(16_000)
    expect(runs.activities.executions(run.run_id)).toBe(2)
  })
})

describe('a record that somebody else has answered for', () => {
  const forged: unknown[] = [
    null,
    'approved',
    { status: 'open', remaining_ms: 'soon' },
    { status: 'ended', resolved: 1 },
  ]

  test.each(['recordDecision', 'expireGate'] as const)('is asked again: %s', async (name) => {
    const run = await runs.start(`answered ${name}`, [parks({ ttl_ms: 600 + SECONDS }), closes])
    runs.activities.forge(run.run_id, name, forged)
    await run.parked()
    expect(await run.decide('approve')).toMatchObject({ status: 'approved' })
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test.each(['recordCancel', 'closeRun'] as const)('is asked again: %s', async (name) => {
    const run = await runs.start(`answered ${name}`, [runsUntilCancelled])
    runs.activities.forge(run.run_id, name, forged)
    await run.underWay()
    await run.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })

  test('an approval that the record does not have leaves the gate open to people', async () => {
    const run = await runs.start('answered as approved', [parks({ approvals: 2 }), closes])
    const answer = { gate_id: run.gate_id, status: 'approved', resolved: true }
    runs.activities.forge(run.run_id, 'recordDecision', [answer])
    await run.parked()
    await run.decide('approve', 'usr_0')
    const votes = async (by: string): Promise<unknown> =>
      await poll(async () => await run.decide('approve', by).catch(() => undefined), PATIENCE.timeout)
    expect(await votes('usr_1')).toMatchObject({ status: 'open' })
    expect(await votes('usr_2')).toMatchObject({ status: 'approved' })
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })
})

describe('a plan of notices, or a tick, that somebody else has answered', () => {
  const MAIL = { channel: 'mail', recipient: 'oncall@example.test' }
  const time = '2026-01-01T00:00:00Z'
  const forged: unknown[] = [
    null,
    'told',
    [{ notice_id: 'all', kind: 'ended', channel: 'mail' }],
    { open: true, notices: null, next_at: null, expires_at: time, ends_at: time },
    { open: true, notices: [], next_at: 'soon', expires_at: time, ends_at: time },
    { open: true, notices: [], next_at: null, expires_at: 7, ends_at: time },
  ]

  test.concurrent('is asked for again, and people are told about their gate', async () => {
    const notices = await runs.startGateNotices('gate_forged', { opened: [MAIL], forged })
    await runs.notices.until('gate_forged', (reported) => reported.length === 1)
    await notices.resolve()
    expect(await notices.result()).toMatchObject({ delivered: { opened: 1, resolved: 1 }, stood_down: true })
  })

  test.concurrent('is asked for again, and people are told how a run has ended', async () => {
    const end = await runs.startEnd('run_forged', { opened: [MAIL], forged })
    expect(await end.result()).toEqual({ delivered: 1 })
  })

  test.concurrent('is asked for again, and people are told about their halt', async () => {
    const halt = await runs.startHalt('halt_forged', { opened: [MAIL], forged })
    expect(await halt.result()).toEqual({ delivered: 1 })
  })

  test.concurrent('is asked for again, and people are told about their connection', async () => {
    const connection = await runs.startConnection('grt_forged', { opened: [MAIL], forged })
    expect(await connection.result()).toEqual({ delivered: 1 })
  })

  test.concurrent('fires', async () => {
    const started = { kind: 'done', outcome: 'started', run_id: 'run_1' } as const
    const answers: unknown[] = [null, 'done', { kind: 'done' }, { kind: 'wait', look_ms: 'soon' }, { kind: 'other' }]
    const firing = await runs.startFiring('sch_forged', [...(answers as never[]), started])
    expect(await firing.result()).toEqual(started)
  })
})
