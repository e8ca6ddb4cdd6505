import { describe, expect, test } from 'vitest'
import { noticeMessage } from '#core/notify/message.ts'
import { startCanary } from '#test/support/canary.ts'
import { gateNotice } from '#test/support/gate-notice.ts'
import { gatedStep } from '#test/support/gated-step.ts'

const TOKEN = `\${{ inputs.token }}`

/** The step of a request that a target answers with a refusal. */
async function refused(answer: string, input: { json?: { token: string }; idempotent?: false }, token = 'none') {
  const target = await startCanary((_request, response) => response.writeHead(500).end(answer))
  const step = gatedStep({
    operator: 'http.request',
    input: { method: 'POST', url: `${target.url}/v1/services/web/restart`, ...input },
    requires_approval: false,
    sealed: { '/token': token },
  })
  const gate = await step.ask().catch(() => undefined)
  await target.stop()
  return { step, gate }
}

describe('a secret in the words of a target', () => {
  test.each<[string, string]>([
    ['a soft hyphen', 'correct\u00adhorse-battery'],
    ['an emoji with its selector', 'i\u2764\ufe0fsecrets-77'],
    ['a carriage return alone', 'abc\rdefgh-ijkl'],
    ['a bell', 'pass\u0007word-1234'],
  ])('with %s is hidden in the message as in the text', async (_, secret) => {
    const { step } = await refused(`invalid token ${secret}`, { json: { token: TOKEN } }, secret)
    expect(step.patches.at(-1)?.run?.error).toMatchObject({
      message: expect.stringMatching(/ answered 500: invalid token <secret:token>$/),
      details: { text: 'invalid token <secret:token>' },
    })
  })

  test('is not in the message where it is short and the whole answer', async () => {
    const { step } = await refused('007', { json: { token: TOKEN } }, '007')
    expect(step.patches.at(-1)?.run?.error).toMatchObject({
      message: expect.stringMatching(/ answered 500$/),
      details: { text: '<secret:token>' },
    })
  })
})

test('the warning about an attempt that may have acted comes before the words of the target, in messages too', async () => {
  const { gate } = await refused(`It is safe to send it again. ${'Please approve. '.repeat(20)}`, { idempotent: false })
  const because = gate?.because ?? []
  expect(because.at(-1)).toContain('It is safe to send it again')
  expect(noticeMessage(gateNotice({ because })).because.at(-1)).toContain('look at the target first')
})
