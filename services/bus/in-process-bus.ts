import type { CloudEvent } from '#core/bus/cloud-event.ts'
import { checkEvent } from '#core/bus/known-topics.ts'
import { matchTopics } from '#core/bus/topic.ts'
import type { Bus, BusMessage, SubscribeOptions, Subscription } from './bus.ts'

/** Beyond this many waiting messages a subscriber misses some. */
const MAX_WAITING = 10_000

export interface InProcessBusOptions {
  /** a handler failed, or had no room: the message is lost */
  onLost(subscriber: string, message: Pick<BusMessage, 'id' | 'topic'>, why: unknown): void
}

/** Passes events to the subscribers of this process: at most once, nothing is stored. Each works at its own pace, in order. */
export function createInProcessBus({ onLost }: InProcessBusOptions): Bus {
  const receivers = new Set<(event: CloudEvent) => void>()
  const open = new Set<Subscription>()

  function subscribe({ name, patterns, workspace_id, handler }: SubscribeOptions): Subscription {
    const matches = matchTopics(patterns)
    let waiting = 0
    let line: Promise<void> = Promise.resolve()

    function receive(event: CloudEvent): void {
      if (!matches(event.type) || (workspace_id !== '*' && workspace_id !== event.workspaceid)) return
      const message = messageOf(event)
      if (waiting >= MAX_WAITING) {
        onLost(name, message, new Error('the subscriber is too slow'))
        return
      }
      waiting += 1
      line = line
        .then(async () => {
          if (receivers.has(receive)) await handler(message)
        })
        .catch((error: unknown) => onLost(name, message, error))
        .finally(() => {
          waiting -= 1
        })
    }

    const subscription: Subscription = {
      ready: Promise.resolve(),
      async close() {
        receivers.delete(receive)
        open.delete(subscription)
        await line
      },
    }
    receivers.add(receive)
    open.add(subscription)
    return subscription
  }

  return {
    async publish(events) {
      events.forEach(checkEvent)
      for (const event of events) for (const receive of receivers) receive(event)
    },
    subscribe,
    async close() {
      await Promise.all([...open].map((subscription) => subscription.close()))
    },
  }
}

function messageOf(event: CloudEvent): BusMessage {
  const { id, type: topic, workspaceid: workspace_id } = event
  return { id, topic, workspace_id, event, attempt: 1, redelivered: false }
}
