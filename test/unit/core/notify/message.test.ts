import { describe, expect, it } from 'vitest'
import { noticeMessage } from '#core/notify/message.ts'
import { mailBody } from '#platform/notify/mail-body.ts'
import { checkoutAlert, endedNotice, gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'

describe('noticeMessage', () => {
  it('says in its first line how bad, where and what is wrong, what is proposed and by when', () => {
    expect(noticeMessage(checkoutAlert()).title).toBe(
      '[high] checkout: HTTP 5xx on shop.example in production — restart needs approval, answer by 14:05 UTC (in 55 min)',
    )
    expect(noticeMessage(gateNotice()).title).toBe(
      '[high risk] sre/service-recovery in production — a step needs approval, answer by Sat 28 Nov 12:50 UTC (in 7 days)',
    )
  })

  it('cuts what is wrong before it cuts what is proposed', () => {
    const alert = { title: 'x'.repeat(1_000), severity: 'high', service: 'checkout', source: 'grafana' }
    const { title } = noticeMessage(checkoutAlert({ alert }))
    expect(title.length).toBeLessThanOrEqual(140)
    expect(title).toMatch(
      /^\[high] checkout: x+… in production — restart needs approval, answer by 14:05 UTC \(in 55 min\)$/,
    )
  })

  it('says by name who asked, who may answer and what is missing', () => {
    expect(noticeMessage(checkoutAlert())).toEqual({
      title: expect.any(String),
      summary: 'Restart checkout',
      facts: [
        { label: 'Alert', value: 'high, HTTP 5xx on shop.example' },
        { label: 'Service', value: 'checkout (said by alertmanager)' },
        { label: 'What the alert says', value: '12 % of requests fail' },
        { label: 'Environment', value: 'production' },
        { label: 'Template', value: 'Recover an HTTP service (sre/service-recovery)' },
        { label: 'Step', value: 'restart' },
        { label: 'Risk', value: 'high' },
        { label: 'Requested by', value: 'Ann Example' },
        {
          label: 'Who may answer',
          value:
            '2 approvals by dba (Bob Example), the other by anybody who may approve (Ann Example, Bob Example); not by the requester',
        },
        { label: 'Still missing', value: '1 more approval, from dba' },
        { label: 'Answer by', value: '14:05 UTC (in 55 min)' },
        { label: 'Run', value: 'run_01' },
        { label: 'Plan', value: `sha256:${'ab'.repeat(32)}` },
      ],
      command: 'curl -X POST http://payments.internal/restart',
      because: ['policy restarts requires a person'],
      evidence: [{ title: 'Look at its health', excerpt: 'status: 503' }],
    })
  })

  it('says who decided, when and why, and no longer when it would expire', () => {
    const note = 'disk was replaced'
    const message = noticeMessage(
      resolvedNotice({ resolution: { status: 'rejected', by: 'alice', at: '2026-11-21T13:05:30.000Z', note } }),
    )
    expect(message.title).toBe('[high risk] sre/service-recovery in production — a step rejected by alice')
    expect(message.outcome).toBe('Rejected by alice at 13:05 UTC')
    expect(message.note).toBe(note)
    expect(message.facts.map(({ label }) => label)).not.toContain('Answer by')
  })

  it.each([
    ['svc.gate.reminder', 'a step still waits, answer by'],
    ['svc.gate.escalated', 'escalated: a step needs approval, nobody has decided, answer by'],
  ] as const)('%s is told apart by its title', (kind, words) => {
    expect(noticeMessage(gateNotice({ kind })).title).toContain(` — ${words}`)
  })

  it('an escalation says how many have approved already', () => {
    const message = noticeMessage(checkoutAlert({ kind: 'svc.gate.escalated' }))
    expect(message.title).toContain('1 of 2 approvals given, answer by')
  })

  it('tells whom an account has answered for, and asks them for nothing', () => {
    const at = '2026-11-21T13:05:30.000Z'
    const answered = { account: `Bot ${HOSTILE}`, decision: 'reject', note: HOSTILE, gate: 'rejected', at } as const
    const message = noticeMessage(checkoutAlert({ kind: 'svc.gate.answered_for_you', answered }))
    expect(message.title).toContain(' — restart rejected in your name by Bot disk')
    expect(message.outcome).toMatch(/^Bot disk .* has answered this gate in your name \(reject\) at 13:05 UTC\. /)
    expect(message.outcome).not.toMatch(/[\r\n]/)
    expect(message.note).not.toMatch(/[\r\n]/)
    const labels = message.facts.map(({ label }) => label)
    for (const asking of ['Answer by', 'Who may answer', 'Still missing', 'Code for the link'])
      expect(labels).not.toContain(asking)
    expect(mailBody(checkoutAlert({ kind: 'svc.gate.answered_for_you', answered })).text).not.toContain('/approve/')
  })

  it('says how a run ended, why, and who had approved it', () => {
    const message = noticeMessage(endedNotice())
    expect(message.title).toBe('[high risk] sre/service-recovery in production — restart failed (unreachable)')
    expect(message.outcome).toBe('Failed at the step restart at 13:06 UTC: the address cannot be reached')
    expect(message.facts).toContainEqual({ label: 'Approved by', value: 'Ann Example' })
    expect(message.command).toBeUndefined()
    expect(noticeMessage(endedNotice({ status: 'succeeded', error: null })).title).toContain(' — restart succeeded')
    const later = { code: 'verify_failed', message: 'it is not healthy', step: 'verify' }
    expect(noticeMessage(endedNotice({ acted: true, error: later })).title).toContain(
      ' — restart done, but verify failed (verify_failed)',
    )
  })

  it('an expiry that nobody decided names nobody', () => {
    const resolution = { status: 'expired', by: null, at: null, note: null }
    expect(noticeMessage(resolvedNotice({ resolution })).outcome).toBe('Expired')
  })

  it('text of others stays on the line it belongs to', () => {
    const message = noticeMessage(
      gateNotice({
        summary: HOSTILE,
        requested_by: HOSTILE,
        because: [HOSTILE],
        template: HOSTILE,
        step: HOSTILE,
        title: HOSTILE,
        action: HOSTILE,
        reason: HOSTILE,
        alert: { title: HOSTILE, severity: HOSTILE, service: HOSTILE, source: HOSTILE, description: HOSTILE },
        ask: {
          need: 1,
          have: 1,
          clauses: [{ any_of: [HOSTILE], people: [HOSTILE], met: false }],
          people: [],
          prevent_self: false,
          missing: HOSTILE,
        },
        evidence: [{ title: HOSTILE, excerpt: 'one line' }],
      }),
    )
    const titles = message.evidence.map(({ title }) => title)
    const values = message.facts.map(({ value }) => value)
    const lines = [message.title, message.summary, ...message.because, ...values, ...titles]
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
