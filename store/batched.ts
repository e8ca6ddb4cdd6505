import postgres from 'postgres'

interface Waiting<Item> {
  items: Item[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * Joins what is written while a write is under way into the next one, in the order in which it was asked for. Each caller
 * hears how its own went: where the database refuses a joint write, everyone's is tried alone.
 */
export function batched<Item>(write: (items: Item[]) => Promise<void>, most: number): (items: Item[]) => Promise<void> {
  const waiting: Waiting<Item>[] = []
  let writing = false

  async function alone({ items, resolve, reject }: Waiting<Item>): Promise<void> {
    await write(items).then(resolve, reject)
  }

  async function together(batch: Waiting<Item>[]): Promise<void> {
    try {
      await write(batch.flatMap(({ items }) => items))
      for (const each of batch) each.resolve()
    } catch (error) {
      // only what the server answered is certainly undone
      if (!(error instanceof postgres.PostgresError)) for (const each of batch) each.reject(error)
      else for (const each of batch) await alone(each)
    }
  }

  async function run(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, fitting(waiting, most))
      const [first] = batch
      if (batch.length === 1 && first !== undefined) await alone(first)
      else await together(batch)
    }
    writing = false
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject })
      if (!writing) void run()
    })
}

/** How many of the first fit into one write; one always does. */
function fitting(waiting: { items: unknown[] }[], most: number): number {
  let size = 0
  const beyond = waiting.findIndex(({ items }) => {
    size += items.length
    return size > most
  })
  return beyond === -1 ? waiting.length : Math.max(1, beyond)
}
