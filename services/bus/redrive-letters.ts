import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time/time.ts'
import type { DeadLetters } from '#store/bus/dead-letters.ts'

const OPERATOR = { type: 'system', id: 'svc-admin', auth: 'none' } as const

/** Sends what a subscriber could not handle through it once more, on the record; answers how many messages that are. */
export async function redriveLetters(
  { letters, ids, clock }: { letters: Pick<DeadLetters, 'find' | 'redrive'>; ids: Ids; clock: Clock },
  subscriber: string,
  messages: number[] | 'all',
): Promise<number> {
  const found = await letters.find(subscriber, messages)
  const asked = found.map(({ message_id, workspace_id, topic }) => ({
    message_id,
    audit: {
      id: ids.next('audit'),
      ts: isoTime(clock()),
      category: 'admin' as const,
      action: 'dead_letter.redriven',
      workspace_id,
      actor: OPERATOR,
      channel: 'cli',
      subject: { type: 'message', id: String(message_id) },
      data: { subscriber, topic },
    },
  }))
  return asked.length === 0 ? 0 : await letters.redrive(subscriber, asked)
}
