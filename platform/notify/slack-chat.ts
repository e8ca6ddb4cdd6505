import type { WebClient } from '@slack/web-api'
import type { Chat } from './channel-kind.ts'

const MAX_NOTE_CHARS = 3_000

/** A Slack channel as a chat where people answer. */
export function createSlackChat(client: () => WebClient, dialog: string): Chat {
  return {
    // needs the scopes `users:read` and `users:read.email`
    async emailOf(userId) {
      const { user } = await client().users.info({ user: userId })
      const usable = user !== undefined && user.deleted !== true && user.is_bot !== true
      return usable ? user.profile?.email : undefined
    },

    async whisper(conversation, userId, text) {
      await client().chat.postEphemeral({ channel: conversation, user: userId, text, parse: 'none' })
    },

    async askNote(triggerId, target) {
      const verb = target.decision === 'approve' ? 'Approve' : 'Reject'
      await client().views.open({
        trigger_id: triggerId,
        view: {
          type: 'modal',
          callback_id: dialog,
          private_metadata: JSON.stringify(target),
          title: plain(verb),
          submit: plain(verb),
          close: plain('Cancel'),
          blocks: [
            {
              type: 'input',
              block_id: 'note',
              label: plain('Note'),
              element: { type: 'plain_text_input', action_id: 'note', multiline: true, max_length: MAX_NOTE_CHARS },
            },
          ],
        },
      })
    },
  }
}

function plain(text: string) {
  return { type: 'plain_text' as const, text, emoji: false }
}
