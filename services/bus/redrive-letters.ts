import type { Ids } from '#core/id.ts'
import type { Clock } from '#core/time/time.ts'
import type { DeadLetters } from '#store/bus/dead-letters.ts'
import { OPERATOR, systemAudit } from '../audit/system-audit.ts'

/** Sends what a subscriber could not handle through it once more, on the record; answers how many messages that are. */
export async function redriveLetters(
  { letters, ...stamp }: { letters: Pick<DeadLetters, 'find' | 'redrive'>; ids: Ids; clock: Clock },
  subscriber: string,
  messages: number[] | 'all',
): Promise<number> {
  const found = await letters.find(subscriber, messages)
  const asked = found.map(({ message_id, workspace_id, topic }) => ({
    message_id,
    audit: systemAudit(stamp, {
      category: 'admin',
      action: 'dead_letter.redriven',
      workspace_id,
      actor: OPERATOR,
      channel: 'cli',
      subject: { type: 'message', id: String(message_id) },
      data: { subscriber, topic },
    }),
  }))
  return asked.length === 0 ? 0 : await letters.redrive(subscriber, asked)
}
