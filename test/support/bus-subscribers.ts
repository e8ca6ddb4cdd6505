import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { programArgs } from '#platform/program/program-args.ts'
import type { Bus } from '#services/bus/bus.ts'
import type { Crash, Handled, SubscriberHistory } from './bus-history.ts'

export interface WatchedSubscriber extends SubscriberHistory {
  ready: Promise<void>
}

interface SubscriberOptions extends Pick<SubscriberHistory, 'name' | 'wants'> {
  pattern: string
  workspace_id: string
  /** how long each message takes */
  pause_ms?: number
}

/** A subscriber of this process that writes down what it handles. */
export function createSubscriber(bus: Bus, options: SubscriberOptions): WatchedSubscriber {
  const { name, wants, pattern, workspace_id, pause_ms } = options
  const handled: Handled[] = []
  const { ready } = bus.subscribe({
    name,
    patterns: [pattern],
    workspace_id,
    from: 'beginning',
    handler: async ({ id, topic, event, redelivered }) => {
      if (pause_ms !== undefined) await sleep(pause_ms)
      handled.push({ id: Number(id), topic, event_id: event.id, redelivered, at: performance.now() })
    },
  })
  return { name, wants, handled, crashes: [], ready }
}

export interface ChildSubscriber extends WatchedSubscriber {
  /** Kills it and starts it again. */
  restart(): Promise<void>
  kill(): Promise<void>
}

/** A subscriber in a process of its own. */
export function createChildSubscriber(
  url: string,
  { name, wants, pattern }: Pick<SubscriberOptions, 'name' | 'wants' | 'pattern'>,
): ChildSubscriber {
  const handled: Handled[] = []
  const crashes: Crash[] = []
  const [script = '', ...program] = programArgs('test/support/bus-subscriber.ts')
  let child = start()
  const ready = untilReady()

  function start(): ChildProcess {
    const born = fork(script, [...program, url, name, pattern])
    born.on('message', (message) => {
      if (message !== 'ready') handled.push({ ...(message as Omit<Handled, 'at'>), at: performance.now() })
    })
    return born
  }

  async function untilReady(): Promise<void> {
    for await (const [message] of on(child, 'message', { close: ['close'] })) if (message === 'ready') return
    throw new Error(`the subscriber ${name} did not start`)
  }

  async function kill(): Promise<void> {
    // it has died on its own: the kill of somebody else was too much for it
    if (child.exitCode !== null) throw new Error(`the subscriber ${name} ended by itself with ${child.exitCode}`)
    child.kill('SIGKILL')
    await once(child, 'close')
  }

  return {
    name,
    wants,
    handled,
    crashes,
    ready,
    kill,
    async restart() {
      const from = performance.now()
      await kill()
      crashes.push({ from, to: performance.now() })
      child = start()
      await untilReady()
    },
  }
}
