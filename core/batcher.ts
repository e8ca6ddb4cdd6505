/** Something that waits for its turn, and how the one who asked for it is answered. */
export type Waiting<Item, Answer> = Item & { answer(value: Answer): void; fail(error: unknown): void }

export interface BatcherOptions<Item, Answer> {
  /** how many from the front go into one batch; at least one */
  count(waiting: readonly Waiting<Item, Answer>[]): number
  /** answers each of the batch, or fails it; never rejects */
  work(batch: Waiting<Item, Answer>[]): Promise<void>
  /** before every batch: who comes meanwhile is part of it */
  pause?: () => Promise<void>
}

/** Joins what is asked for while a batch is worked on into the next one, in the order of arrival. One batch at a time. */
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
    /** Resolves when nothing waits any more. */
    idle: async () => await running,
  }
}

/** How many from the front hold at most so much together; one always fits. */
export function fitting<Item>(waiting: readonly Item[], most: number, sizeOf: (item: Item) => number): number {
  let size = 0
  const beyond = waiting.findIndex((item) => {
    size += sizeOf(item)
    return size > most
  })
  return beyond === -1 ? waiting.length : Math.max(1, beyond)
}
