import { setTimeout as pause } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { answerInChat } from '#services/approvals/chat/answer-in-chat.ts'
import { NOTE_DIALOG, readInteraction } from '#services/approvals/chat/interaction.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute } from '../../define-route.ts'

/** Slack's timeout is three seconds. Until then Slack shows a failure; a slower decision continues without it. */
const SLACK_WAITS_MS = 2_500

/** Verifies that the request comes from the Slack app of this channel. Throws `not_found`, `unauthenticated`. */
async function verifySlack(c: ApiContext): Promise<Actor> {
  const channel = c.req.param('channel') ?? ''
  const verdict = c
    .get('deps')
    .chat.verify(
      channel,
      { timestamp: c.req.header('x-slack-request-timestamp'), signature: c.req.header('x-slack-signature') },
      c.get('body_text') ?? '',
    )
  if (verdict === 'unknown') throw new DomainError('not_found', 'there is no such channel')
  if (verdict === 'forged') throw new DomainError('unauthenticated', 'The signature is not that of this channel.')
  return { ...ANONYMOUS, id: `slack:${channel}`, display: channel, workspaces: '*', auth: 'signature' }
}

export const receiveSlackRoute = defineRoute(
  {
    operationId: 'receiveSlack',
    method: 'post',
    path: '/triggers/slack/{channel}',
    tags: ['approvals'],
    access: 'callback',
    auth: 'signature',
    verify: verifySlack,
    summary: 'Receive the buttons of a Slack channel',
    description:
      'The request URL for interactivity of the Slack app. Signed with the secret of the channel; the person who pressed a button is found by the mail address of the Slack profile.',
    request: {
      params: z.object({ channel: z.string().max(64) }),
      body: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: z.object({ payload: z.string() }) } },
      },
    },
    responses: { 200: { description: 'Understood; the result is shown in the chat' } },
    max_body_bytes: 256 * 1024,
  },
  async (c) => {
    const { deps, ctx } = c.var
    const { channel } = c.req.valid('param')
    const interaction = readInteraction(c.get('body_text') ?? '')
    const chat = deps.chat.open(channel, NOTE_DIALOG)
    if (interaction !== undefined && chat !== undefined) {
      const { gates } = deps.chat
      const answered = answerInChat({ ...ctx, gates, chat, chat_channel: channel }, interaction)
      deps.services.later(() => answered)
      await Promise.race([answered, pause(SLACK_WAITS_MS)])
    }
    return c.body(null, 200)
  },
)
