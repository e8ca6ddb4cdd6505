import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slackMessage, slackReply } from '#platform/notify/slack-blocks.ts'
import { gateNotice } from '#test/support/gate-notice.ts'
import { blockFault } from '#test/support/slack-block-limits.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', ' ', '<&>'.repeat(5_000), '`'.repeat(5_000), '\n'.repeat(5_000), '😀'.repeat(3_000)),
)
const orNull = fc.option(text, { nil: null })
const notices = fc
  .record({
    template: text,
    environment: text,
    summary: text,
    command: text,
    run_id: text,
    step: orNull,
    gate_id: orNull,
    plan_hash: orNull,
    requested_by: orNull,
    expires_at: orNull,
    because: fc.array(text, { maxLength: 30 }),
    resolution: fc.record({ status: text, by: orNull, at: orNull, note: orNull }),
    links: fc.record({ approve: fc.oneof(fc.webUrl(), text), run: fc.oneof(fc.webUrl(), text) }),
  })
  .map((changes) => gateNotice(changes))

describe('slackMessage', () => {
  it('whatever the notice says, Slack would take it and nobody is mentioned', () => {
    fc.assert(
      fc.property(notices, ({ resolution, ...open }) => {
        for (const notice of [open, { ...open, ...(resolution !== undefined && { resolution }) }]) {
          for (const message of [slackMessage('chat', notice), slackReply(notice)]) {
            expect(message.blocks.map(blockFault).filter((fault) => fault !== undefined)).toEqual([])
            expect(message.text.length).toBeLessThanOrEqual(3_000)
            const texts = JSON.stringify([message.text, message.blocks.filter(({ type }) => type !== 'actions')])
            expect(texts).not.toMatch(/[<>]/)
          }
        }
      }),
    )
  })
})
