import { describe, expect, it } from 'vitest'
import { noticeMessage } from '#core/notify/message.ts'
import { gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'

describe('noticeMessage', () => {
  it('says what is asked, about what, where and until when', () => {
    expect(noticeMessage(gateNotice())).toEqual({
      title: 'Approval needed: sre/service-recovery in production',
      summary: 'Restart payments',
      facts: [
        { label: 'Template', value: 'sre/service-recovery' },
        { label: 'Environment', value: 'production' },
        { label: 'Risk', value: 'high' },
        { label: 'Step', value: 'restart' },
        { label: 'Requested by', value: 'alertmanager' },
        { label: 'Expires', value: '2026-11-28 12:50 UTC' },
        { label: 'Run', value: 'run_01' },
        { label: 'Plan', value: `sha256:${'ab'.repeat(32)}` },
      ],
      command: 'curl -X POST http://payments.internal/restart',
      because: ['policy restarts requires a person'],
    })
  })

  it('says who decided, when and why, and no longer when it would expire', () => {
    const note = 'disk was replaced'
    const message = noticeMessage(
      resolvedNotice({ resolution: { status: 'rejected', by: 'alice', at: '2026-11-21T13:05:30.000Z', note } }),
    )
    expect(message.title).toBe('Rejected: sre/service-recovery in production')
    expect(message.outcome).toBe('Rejected by alice at 2026-11-21 13:05 UTC')
    expect(message.note).toBe(note)
    expect(message.facts.map(({ label }) => label)).not.toContain('Expires')
  })

  it.each([
    ['svc.gate.reminder', 'Still waiting for approval'],
    ['svc.gate.escalated', 'Escalated, approval needed'],
    ['svc.run.failed', 'Run failed'],
  ] as const)('%s is told apart by its title', (kind, words) => {
    expect(noticeMessage(gateNotice({ kind })).title).toBe(`${words}: sre/service-recovery in production`)
  })

  it('an expiry that nobody decided names nobody', () => {
    const resolution = { status: 'expired', by: null, at: null, note: null }
    expect(noticeMessage(resolvedNotice({ resolution })).outcome).toBe('Expired')
  })

  it('text of others stays on the line it belongs to', () => {
    const message = noticeMessage(
      gateNotice({ summary: HOSTILE, requested_by: HOSTILE, because: [HOSTILE], template: HOSTILE, step: HOSTILE }),
    )
    const lines = [message.title, message.summary, ...message.because, ...message.facts.map(({ value }) => value)]
    for (const line of lines) expect(line).not.toMatch(/[\r\n\u202e]/)
  })

  it('a flood is shortened', () => {
    const flood = 'x'.repeat(100_000)
    const message = noticeMessage(
      gateNotice({
        summary: flood,
        template: flood,
        command: flood,
        because: Array.from({ length: 100 }, () => flood),
      }),
    )
    expect(JSON.stringify(message).length).toBeLessThan(10_000)
  })
})
