import type { RunTransitions } from '#store/runs/run-transitions.ts'
import type { Bus } from './bus.ts'

/** Runs beyond this many are forgotten, the longest quiet first. */
const MAX_KNOWN = 10_000

export interface TransitionPublisherDeps {
  transitions: RunTransitions
  bus: Pick<Bus, 'publish'>
  /** in ISO time; what happened before is never published */
  since: string
  onError(error: unknown): void
}

/**
 * Publishes the transitions of runs on the bus of this process, from any process: the notification of run events names the runs, and their
 * new events are read. Each event is published once or, when a notification is lost, not at all.
 */
export function createTransitionPublisher({ transitions, bus, since, onError }: TransitionPublisherDeps) {
  /** position up to which each run was read */
  const readTo = new Map<string, number>()
  /** events of forgotten runs were published up to here */
  let floor = since
  let newest = since
  const changed = new Set<string>()
  let publishing: Promise<void> | undefined

  async function publish(): Promise<void> {
    while (changed.size > 0) {
      const known = [...changed].map((run_id) => ({ run_id, after_seq: readTo.get(run_id) ?? 0 }))
      changed.clear()
      const read = await transitions.after(known)
      const published = read.transitions.filter(({ run_id, ts }) => readTo.has(run_id) || ts > floor)
      for (const { ts } of read.transitions) if (ts > newest) newest = ts
      // most events of a run in a storm are no transitions, and are not read again
      for (const [run_id, seq] of read.read_to) {
        readTo.delete(run_id)
        readTo.set(run_id, seq)
      }
      forget()
      await bus.publish(published.map(({ event }) => event))
    }
  }

  function forget(): void {
    for (const run_id of readTo.keys()) {
      if (readTo.size <= MAX_KNOWN) return
      readTo.delete(run_id)
      floor = newest
    }
  }

  return {
    /** Undefined means any run: then all known ones are read. */
    notify(runIds: string[] | undefined): void {
      for (const run_id of runIds ?? readTo.keys()) changed.add(run_id)
      publishing ??= publish()
        .catch(onError)
        .finally(() => {
          publishing = undefined
        })
    },
    async settled(): Promise<void> {
      await publishing
    },
  }
}
