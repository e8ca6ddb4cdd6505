import { describe, expect, inject, test } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { EVENT, startScriptedRuns } from '#test/support/scripted-runs.ts'
import { END_SCENARIOS } from './end-scenarios.ts'
import { GATE_NOTICE_SCENARIOS } from './gate-notice-scenarios.ts'
import { CONNECTION_SCENARIOS, DIGEST_SCENARIOS, HALT_SCENARIOS } from './halt-scenarios.ts'

const MAIL = { channel: 'mail', recipient: 'oncall@example.test' }
const CHAT = { channel: 'chat', recipient: '#ops' }

const runs = fileFixture(() => startScriptedRuns(inject('temporal_address')))

describe('the end of a run', () => {
  test.each(END_SCENARIOS)('$name', async ({ name, script, delivered }) => {
    const end = await runs.startEnd(`run_${name}`, script)
    expect(await end.result()).toEqual({ delivered })
  })

  test('is told once, however often it is asked for', async () => {
    const end = await runs.startEnd('run_told_once', { opened: [MAIL] })
    await end.result()
    await (await runs.startEnd('run_told_once', { opened: [MAIL] })).result()
    expect(runs.notices.attempts('run_told_once', 'mail')).toBe(1)
  })
})

describe('a message about a halt', () => {
  test.each(HALT_SCENARIOS)('$name', async ({ name, script, delivered }) => {
    expect(await (await runs.startHalt(`halt_${name}`, script)).result()).toEqual({ delivered })
  })

  test('is told once, however often it is asked for', async () => {
    await (await runs.startHalt('halt_told_once', { opened: [MAIL] })).result()
    await (await runs.startHalt('halt_told_once', { opened: [MAIL] })).result()
    expect(runs.notices.attempts('halt_told_once', 'mail')).toBe(1)
  })
})

describe('a message of a digest', () => {
  test.each(DIGEST_SCENARIOS)('$name', async ({ name, script, delivered }) => {
    expect(await (await runs.startDigest(`dgs_${name}`, script)).result()).toEqual({ delivered })
  })

  test('is told once, however often it is asked for', async () => {
    await (await runs.startDigest('dgs_told_once', { opened: [MAIL] })).result()
    await (await runs.startDigest('dgs_told_once', { opened: [MAIL] })).result()
    expect(runs.notices.attempts('dgs_told_once', 'mail')).toBe(1)
  })
})

describe('a message about a connection', () => {
  test.each(CONNECTION_SCENARIOS)('$name', async ({ name, script, delivered }) => {
    expect(await (await runs.startConnection(`grt_${name}`, script)).result()).toEqual({ delivered })
  })

  test('is told once, however often it is asked for', async () => {
    await (await runs.startConnection('grt_told_once', { opened: [MAIL] })).result()
    await (await runs.startConnection('grt_told_once', { opened: [MAIL] })).result()
    expect(runs.notices.attempts('grt_told_once', 'mail')).toBe(1)
  })
})

describe('notices of a gate', () => {
  test.each(GATE_NOTICE_SCENARIOS)('$name tells whom it should', async ({ name, script, play, delivered }) => {
    const notices = await runs.startGateNotices(`gate_${name}`, script)
    await play?.(notices, runs.notices)
    expect((await notices.result()).delivered).toEqual(delivered)
  })

  test('a channel that comes back is told late, and the others were not held up', async () => {
    const notices = await runs.startGateNotices('gate_back', { opened: [MAIL, CHAT], away: { mail: 2 } })
    await runs.notices.until(notices.gate_id, (reported) => reported.length === 1)
    expect(runs.notices.reported(notices.gate_id)).toEqual([{ kind: 'opened', ...CHAT }])
    await runs.notices.until(notices.gate_id, (reported) => reported.length === 2)
    expect(runs.notices.attempts(notices.gate_id, 'mail')).toBe(3)
    await notices.resolve()
    expect((await notices.result()).delivered).toEqual({
      opened: 2,
      reminder: 0,
      escalated: 0,
      answered_for_you: 0,
      resolved: 2,
    })
  })

  test('starting it again changes nothing, neither while it runs nor when it is over', async () => {
    const notices = await runs.startGateNotices('gate_again', { opened: [MAIL] })
    await runs.notices.until(notices.gate_id, (reported) => reported.length === 1)
    await runs.startGateNotices('gate_again', { opened: [MAIL] })
    await notices.resolve()
    await notices.result()
    await runs.startGateNotices('gate_again', { opened: [MAIL] })
    await notices.resolve()
    expect(runs.notices.reported(notices.gate_id).map(({ kind }) => kind)).toEqual(['opened', 'resolved'])
  })

  test('a resolution in the same instant as the opening corrects what was sent, and nothing more is sent', async () => {
    const notices = await runs.startGateNotices('gate_instant', { opened: [MAIL, CHAT], remind_after_ms: 60_000 })
    await notices.resolve()
    const { delivered, stood_down } = await notices.result()
    expect(stood_down).toBe(true)
    expect(delivered.resolved).toBe(delivered.opened)
    expect(delivered.reminder).toBe(0)
  })

  test.each([-3_600_000, 3_600_000])(
    'a record whose clock is %i ms ahead of the engine’s has people told, reminded and called off as ever',
    async (ahead_ms) => {
      const script = { opened: [MAIL], remind_after_ms: 1_000, expires_after_ms: 60_000, ends_after_ms: 120_000 }
      // the first attempts fail: what is tried again is tried for as long as it is worth anything
      const notices = await runs.startGateNotices(`gate_ahead_${ahead_ms}`, { ...script, ahead_ms, away: { mail: 2 } })
      await runs.notices.until(notices.gate_id, (reported) => reported.length === 2)
      expect(runs.notices.reported(notices.gate_id).map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['opened', 'reminder']),
      )
      await notices.resolve()
      const { delivered, stood_down } = await notices.result()
      expect([delivered, stood_down]).toEqual([
        { opened: 1, reminder: 1, escalated: 0, answered_for_you: 0, resolved: 1 },
        true,
      ])
    },
  )

  test('waiting is one timer: nothing is polled', async () => {
    const notices = await runs.startGateNotices('gate_quiet', { opened: [MAIL] })
    await runs.notices.until(notices.gate_id, (reported) => reported.length === 1)
    await notices.resolve()
    await notices.result()
    const events = (await notices.handle.fetchHistory()).events ?? []
    expect(events.filter((event) => event.eventType === EVENT.TIMER_STARTED)).toHaveLength(1)
    expect(events.filter((event) => event.eventType === EVENT.ACTIVITY_SCHEDULED)).toHaveLength(5)
  })
})
