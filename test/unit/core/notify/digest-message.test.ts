import { describe, expect, test } from 'vitest'
import { asksForAnswer, noticeMessage } from '#core/notify/message.ts'
import { noticeEvent } from '#platform/notify/kinds/webhook.ts'
import { mailBody } from '#platform/notify/mail-body.ts'
import { slackMessage, slackReply } from '#platform/notify/slack-blocks.ts'
import { digestNotice } from '#test/support/digest-notice.ts'
import { HOSTILE } from '#test/support/gate-notice.ts'
import { blockFault } from '#test/support/slack-block-limits.ts'

describe('a digest', () => {
  test('says how many wait, the most urgent by their problem, the highest risk and by when', () => {
    const message = noticeMessage(digestNotice())
    expect(message.title).toBe('[critical] 174 gates wait for an answer, first: shop: checkout down in production')
    expect(message.listed).toEqual([
      '[critical] shop: checkout down in production (high risk)',
      '[low risk] Rebuild an index in staging',
      'and 172 more',
    ])
    expect(message.facts).toEqual([
      { label: 'Highest risk', value: 'high' },
      { label: 'First answer by', value: '03:14 UTC' },
      { label: 'Escalated', value: '2 gates' },
      { label: 'Over', value: '3 approved, 1 expired' },
      { label: 'Since', value: '02:14 UTC' },
    ])
    expect(asksForAnswer(digestNotice())).toBe(false)
  })

  test('says that nothing waits any more, and what has become of it', () => {
    const none = { gates: 0, risk: null, expires_at: null, escalated: 0 }
    const over = digestNotice({ waiting: none, first: [], answered: { approved: 178 }, failed: ['checkout down'] })
    expect(noticeMessage(over)).toMatchObject({ title: 'No gate waits any more: 178 approved' })
    expect(noticeMessage(over).facts).toContainEqual({ label: 'Failed', value: 'checkout down' })
    expect(noticeMessage(over).listed).toBeUndefined()
    const ends = digestNotice({ waiting: none, first: [], answered: {}, ended: { failed: 2 } })
    expect(noticeMessage(ends).title).toBe('Runs have ended: 2 failed')
  })

  test('leads to the queue of gates, and decides nothing', () => {
    const { text, html } = mailBody(digestNotice())
    expect(text).toContain('- [critical] shop: checkout down in production (high risk)\n')
    expect(text).toContain('Open in the console: https://svc.example.test/console/gates?workspace=ws_01')
    expect(html).toContain('<li>and 172 more</li>')
    const shown = JSON.stringify(slackMessage('chat', digestNotice()).blocks)
    expect(shown).toContain('https://svc.example.test/console/gates?workspace=ws_01')
    expect(shown).not.toContain('gate.approve')
    expect(noticeEvent(digestNotice())).toMatchObject({ type: 'svc.digest.sent', subject: 'dgs_1' })
  })

  test('keeps text from outside as text, in every kind of channel', () => {
    const alert = { title: HOSTILE, severity: HOSTILE, service: HOSTILE, source: HOSTILE }
    const gate = {
      title: HOSTILE,
      alert,
      environment: HOSTILE,
      risk: 'high',
      expires_at: '2026-11-21T03:14:00.000Z',
    } as const
    const hostile = digestNotice({ first: Array(5).fill(gate), failed: Array(5).fill(HOSTILE) })
    const { subject, html } = mailBody(hostile)
    expect(subject).not.toMatch(/[\r\n]/)
    expect(html).not.toContain('<img')
    for (const { blocks } of [slackMessage('chat', hostile), slackReply(hostile)]) {
      expect(blocks.map(blockFault).filter(Boolean)).toEqual([])
      expect(JSON.stringify(blocks)).not.toContain('<!channel>')
    }
  })
})
