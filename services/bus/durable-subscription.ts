import { REDRIVE, stepSubscription } from '#core/bus/step-subscription.ts'
import {
  type BusRow,
  type HandlingOutcome,
  NEW_SUBSCRIPTION,
  type SubscriptionCommand,
  type SubscriptionEvent,
} from '#core/bus/subscription.ts'
import { matchTopics } from '#core/bus/topic.ts'
import type { Log } from '#core/log.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { DeadLetters } from '#store/bus/dead-letters.ts'
import type { SessionLock, SessionLocks } from '#store/sql/session-locks.ts'
import type { SubscribeOptions, Subscription } from './bus.ts'
import type { BusBatch, BusPosition } from './bus-position.ts'
import { createDelivery } from './deliver.ts'
import { createLogReader } from './log-reader.ts'

export interface DurableSubscriptionDeps {
  reads: BusReads
  letters: DeadLetters
  locks: SessionLocks
  position: BusPosition
  log: Pick<Log, 'warn'>
  attempts: number
  backoff_ms: number
  /** rest after a failure of the database, and between attempts to get the subscriber's cursor */
  retry_ms: number
}

export interface DurableSubscription extends Subscription {
  /** polls for messages; with the batch that was numbered, only when it may concern this subscriber */
  wake(batch?: BusBatch): void
}

type Executable = Exclude<SubscriptionCommand, { do: 'wake' | 'end' }>

/** Executes the commands of `stepSubscription`, and reports their results to it. */
export function startDurableSubscription(
  deps: DurableSubscriptionDeps,
  options: SubscribeOptions,
): DurableSubscription {
  const { reads, letters, locks, position, log } = deps
  const { name: subscriber, workspace_id, handler, from } = options
  const cursor = { subscriber, workspace_id }
  const matches = matchTopics(options.patterns)
  const nextPage = createLogReader({ reads, position, matches, workspace_id })
  const deliver = createDelivery({ ...deps, subscriber, handler, pause, closed: () => state.closed })
  let state = NEW_SUBSCRIPTION
  let lock: SessionLock | undefined
  /** the holder number of this process, until it releases the cursor */
  let claimed: number | undefined
  let wake: () => void = () => undefined
  let opened: () => void = () => undefined
  let ended: () => void = () => undefined
  const ready = new Promise<void>((resolve) => {
    opened = resolve
  })
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function tell(event: SubscriptionEvent): void {
    const { head, redrive_at } = position
    const view = { now: performance.now(), head: head(), redrive_at: redrive_at(), held: lock?.held() === true }
    const step = stepSubscription(state, event, view)
    state = step.state
    for (const command of step.commands) {
      if (command.do === 'wake') wake()
      else if (command.do === 'end') ended()
      else void attempt(command).then(tell)
    }
  }

  async function attempt(command: Executable): Promise<SubscriptionEvent> {
    try {
      // the command of every message
      if (command.do === 'deliver')
        return { type: 'delivered', outcome: await handOver(command.row, command.redelivered) }
      return await execute(command)
    } catch (error) {
      warn(error)
      return { type: 'failed', command }
    }
  }

  /** A dead letter is tried once per request, even if its process crashes. */
  async function handOver(row: BusRow, redelivered: boolean): Promise<HandlingOutcome> {
    const isLetter = state.doing.is === 'redriving'
    if (isLetter) await letters.begin(subscriber, row.id)
    const outcome = await deliver(row, redelivered)
    if (isLetter && outcome === 'closed') await letters.putBack(subscriber, row.id)
    return outcome
  }

  async function letGo(): Promise<void> {
    if (claimed === undefined) return
    await reads.letGo(cursor, claimed)
    claimed = undefined
  }

  function warn(error: unknown): void {
    log.warn({ subscriber, err: error }, 'a subscriber cannot read the bus; it tries again')
  }

  async function execute(command: Exclude<Executable, { do: 'deliver' }>): Promise<SubscriptionEvent> {
    switch (command.do) {
      case 'open':
        await reads.open(cursor, from)
        opened()
        return { type: 'opened' }
      case 'lock':
        lock = await locks.take(`bus:${subscriber}:${workspace_id}`)
        // where the lock was lost, another process may count this one as crashed
        if (lock === undefined) await letGo().catch(warn)
        return { type: 'locked', taken: lock !== undefined }
      case 'take': {
        const taken = await reads.take(cursor, claimed ?? 0)
        claimed = taken.holder
        return { type: 'taken', cursor: taken }
      }
      case 'release':
        await letGo().catch(warn)
        await lock?.release()
        lock = undefined
        return { type: 'released' }
      case 'read':
        return { type: 'page', page: await nextPage(command.after) }
      case 'mark': {
        const { why, ...position } = command
        const kept = await reads.mark(cursor, { ...position, at_rest: why === 'at_rest' })
        if (!kept) warn(new Error('another process has taken the cursor'))
        return { type: 'marked', mark: command, kept }
      }
      case 'set_aside': {
        const { row, processes_ended } = command
        const why = `process_ended: ${processes_ended} processes ended while they handled it`
        await letters.bury(subscriber, row, processes_ended, why)
        log.warn(
          { subscriber, message_id: row.id, topic: row.topic, processes_ended },
          'a message has ended processes; it was put aside',
        )
        return { type: 'delivered', outcome: 'buried' }
      }
      case 'list_letters':
        return { type: 'letters', rows: await letters.toRedrive(cursor, REDRIVE) }
      case 'remove_letter':
        await letters.remove(subscriber, command.id)
        return { type: 'letter_removed' }
      case 'rest':
        await pause(command.for === 'retry' ? deps.retry_ms : command.for)
        return { type: 'rested' }
    }
  }

  tell({ type: 'started' })
  return {
    ready,
    wake(batch) {
      const foreign = batch?.topics?.some(matches) === false ? batch : undefined
      tell({ type: 'notified', ...(foreign && { foreign: { from: foreign.from, to: foreign.to } }) })
    },
    async close() {
      opened()
      tell({ type: 'closed' })
      await end
    },
  }
}
