import type { BusRow, HandlingOutcome } from '#core/bus/subscription.ts'
import type { Log } from '#core/log.ts'
import type { DeadLetters } from '#store/bus/dead-letters.ts'
import type { BusHandler } from './bus.ts'

export interface DeliverDeps {
  subscriber: string
  handler: BusHandler
  letters: Pick<DeadLetters, 'bury'>
  log: Pick<Log, 'warn'>
  /** attempts of a handler, and the delay after the first failure; each delay is twice the one before */
  attempts: number
  backoff_ms: number
  pause(ms: number): Promise<void>
  closed(): boolean
}

/** Passes a message to its handler, again after a failure, until it is handled or set aside, or the subscription is closed. */
export function createDelivery(deps: DeliverDeps): (row: BusRow, redelivered: boolean) => Promise<HandlingOutcome> {
  const { subscriber, handler, letters, log, attempts, backoff_ms } = deps
  return async (row, redelivered) => {
    const { id, topic, workspace_id, event } = row
    for (let attempt = 1; ; attempt += 1) {
      try {
        await handler({ id: String(id), topic, workspace_id, event, attempt, redelivered })
        return 'handled'
      } catch (error) {
        const about = { subscriber, message_id: id, topic, attempt, err: error }
        if (attempt >= attempts) {
          await letters.bury(subscriber, row, attempt, String(error))
          log.warn(about, 'a subscriber cannot handle a message; it was put aside')
          return 'buried'
        }
        log.warn(about, 'a subscriber failed to handle a message; it tries again')
        await deps.pause(backoff_ms * 2 ** (attempt - 1))
        if (deps.closed()) return 'closed'
      }
    }
  }
}
