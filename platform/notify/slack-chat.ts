import type { SlackChannel } from '#core/notify/types.ts'
import { type SlackSenderDeps, slackClient } from './send-slack.ts'

const MAX_NOTE_CHARS = 3_000

/** What a dialogue for a note carries until it comes back. */
interface NoteTarget {
  decision: 'approve' | 'reject'
  [field: string]: string
}

/** One Slack channel as the place where people answer. Rejects with what the Web API client throws. */
export function createSlackChat(deps: SlackSenderDeps, channel: SlackChannel, dialog: string) {
  return {
    /** needs the scopes `users:read` and `users:read.email` */
    async emailOf(userId: string): Promise<string | undefined> {
      const { user } = await slackClient(deps, channel).users.info({ user: userId })
      const usable = user !== undefined && user.deleted !== true && user.is_bot !== true
      return usable ? user.profile?.email : undefined
    },

    async whisper(conversation: string, userId: string, text: string): Promise<void> {
      await slackClient(deps, channel).chat.postEphemeral({ channel: conversation, user: userId, text, parse: 'none' })
    },

    async askNote(triggerId: string, target: NoteTarget): Promise<void> {
      const verb = target.decision === 'approve' ? 'Approve' : 'Reject'
      await slackClient(deps, channel).views.open({
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
