import { describe, expect, test } from 'vitest'
import { asksForAnswer, noticeMessage } from '#core/notify/message.ts'
import type { HaltNotice } from '#core/notify/types.ts'
import { noticeEvent } from '#platform/notify/kinds/webhook.ts'
import { mailBody } from '#platform/notify/mail-body.ts'
import { slackMessage, slackReply } from '#platform/notify/slack-blocks.ts'
import { HOSTILE } from '#test/support/gate-notice.ts'
import { blockFault } from '#test/support/slack-block-limits.ts'

const notice = (kind: HaltNotice['kind'], halt: Partial<HaltNotice['halt']> = {}): HaltNotice => ({
  ...{ id: 'ntf_1.0', kind, time: '2026-11-21T02:14:00.000Z', sent_at: '2026-11-21T02:20:00.000Z' },
  workspace_id: 'ws_01',
  halt: {
    ...{ id: 'halt_1', covers: 'workspace Shop', reason: 'wrong hosts are being restarted', set_by: 'Ada' },
    ...{ since: '2026-11-21T02:14:00.000Z', may_lift: ['Grace'], refused: { starts: 0, first: null } },
    ...halt,
  },
  links: { console: 'https://svc.example.test/console' },
})
const factsOf = (of: HaltNotice) =>
  Object.fromEntries(noticeMessage(of).facts.map(({ label, value }) => [label, value]))
const LIFTED = { by: 'Grace', at: '2026-11-21T02:48:00.000Z' }

describe('a message about a halt', () => {
  test('says what stands still, who stopped it, why, since when, and who can lift it', () => {
    const set = notice('svc.halt.set')
    expect(noticeMessage(set).title).toBe('HALTED workspace Shop by Ada: wrong hosts are being restarted')
    expect(factsOf(set)).toEqual({
      Covers: 'workspace Shop',
      Reason: 'wrong hosts are being restarted',
      'Set by': 'Ada, 02:14 UTC (6 min ago)',
      'Who can lift it': 'Grace',
      Halt: 'halt_1',
    })
    expect(asksForAnswer(set)).toBe(false)
  })

  test('says how many starts were refused, the first by its title, and how to start them', () => {
    const refused = notice('svc.halt.refused', { refused: { starts: 3, first: 'checkout answers 503' } })
    expect(noticeMessage(refused)).toMatchObject({
      title: 'HALTED: the halt refused 3 starts, first: checkout answers 503',
      summary: 'See them, and start them once it is lifted: svc halt --refused halt_1',
    })
    const one = notice('svc.halt.refused', { refused: { starts: 1, first: 'x' } })
    expect(noticeMessage(one).title).toBe('HALTED: the halt refused 1 start, first: x')
  })

  test('says who lifted it, after how long, and what does not start by itself', () => {
    const lifted = notice('svc.halt.lifted', { lifted: LIFTED, refused: { starts: 2, first: 'x' } })
    expect(noticeMessage(lifted).title).toBe('Halt of workspace Shop lifted by Grace after 34 min')
    expect(noticeMessage(lifted).summary).toContain('svc halt --refused halt_1')
    expect(factsOf(lifted)).toMatchObject({
      'Lifted by': 'Grace, 02:48 UTC',
      Refused: expect.stringContaining('2 starts'),
    })
    const nothing = noticeMessage(notice('svc.halt.lifted', { lifted: LIFTED }))
    expect(nothing.summary).toBe('What it held continues. It refused nothing.')
  })

  test.each(['svc.halt.set', 'svc.halt.refused', 'svc.halt.lifted'] as const)(
    '%s keeps text from outside as text, in every kind of channel',
    (kind) => {
      const hostile = notice(kind, {
        ...{ reason: HOSTILE, set_by: HOSTILE, covers: HOSTILE, may_lift: [HOSTILE] },
        refused: { starts: 2, first: HOSTILE },
        lifted: { ...LIFTED, by: HOSTILE },
      })
      const { subject, html } = mailBody(hostile)
      expect(subject).not.toMatch(/[\r\n]/)
      expect(html).not.toContain('<img')
      for (const message of [slackMessage('chat', hostile), slackReply(hostile)]) {
        expect(message.blocks.map(blockFault).filter((fault) => fault !== undefined)).toEqual([])
        expect(JSON.stringify(message)).not.toMatch(/<[!@h]/)
        expect(JSON.stringify(message)).not.toContain('gate.approve')
      }
      expect(JSON.stringify([subject, slackMessage('chat', hostile)])).not.toContain('\u202e')
    },
  )

  test('is an event about the halt for a webhook', () => {
    const event = noticeEvent(notice('svc.halt.refused', { refused: { starts: 3, first: 'x' } }))
    expect(event).toMatchObject({
      ...{ id: 'ntf_1.0', type: 'svc.halt.refused', subject: 'halt_1', source: '/workspaces/ws_01' },
      data: { halt: { id: 'halt_1', refused: { starts: 3, first: 'x' } }, links: { console: expect.any(String) } },
    })
  })
})
