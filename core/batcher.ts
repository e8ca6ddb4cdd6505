/** A queued item, with the functions that answer its caller. */
export type Waiting<Item, Answer> = Item & { answer(value: Answer): void; fail(error: unknown): void }

export interface BatcherOptions<Item, Answer> {
  /** size of the next batch, counted from the front; at least one */
  count(waiting: readonly Waiting<Item, Answer>[]): number
  /** answers each of the batch, or fails it; never rejects */
  work(batch: Waiting<Item, Answer>[]): Promise<void>
  /** before every batch: items that arrive meanwhile join it */
  pause?: () => Promise<void>
}

/** Collects items that arrive during a batch into the next one, in order of arrival. One batch at a time. */
export function createBatcher<Item extends object, Answer>({ count, work, pause }: BatcherOptions<Item, Answer>) {
  const waiting: Waiting<Item, Answer>[] = []
  let running: Promise<void> | undefined
  let busy = false

  async function run(): Promise<void> {
    busy = true
    while (waiting.length > 0) {
      if (pause !== undefined) await pause()
      await work(waiting.splice(0, count(waiting)))
    }
    busy = false
  }

  return {
    waiting,
    ask: (item: Item) =>
      new Promise<Answer>((answer, fail) => {
        waiting.push({ ...item, answer, fail })
        if (!busy) running = run()
      }),
    /** Resolves when the queue is empty. */
    idle: async () => await running,
  }
}

/** Counts the items from the front whose sizes add up to at most `most`; the first one always fits. */
export function fitting<Item>(waiting: readonly Item[], most: number, sizeOf: (item: Item) => number): number {
  let size = 0
  const beyond = waiting.findIndex((item) => {
    size += sizeOf(item)
    return size > most
  })
  return beyond === -1 ? waiting.length : Math.max(1, beyond)
}
