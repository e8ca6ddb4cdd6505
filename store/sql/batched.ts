import postgres from 'postgres'
import { createBatcher, fitting, type Waiting } from '#core/batcher.ts'

/**
 * Joins writes that are requested during a write into the next one, in order. Each caller learns the result of its own: where the database
 * refuses a joint write, each is tried alone.
 */
export function batched<Item>(write: (items: Item[]) => Promise<void>, most: number): (items: Item[]) => Promise<void> {
  type Write = Waiting<{ items: Item[] }, void>
  const alone = async ({ items, answer, fail }: Write) => await write(items).then(answer, fail)

  async function together(batch: Write[]): Promise<void> {
    try {
      await write(batch.flatMap(({ items }) => items))
      for (const each of batch) each.answer()
    } catch (error) {
      // only an answer of the server proves that nothing happened
      if (!(error instanceof postgres.PostgresError)) for (const each of batch) each.fail(error)
      else for (const each of batch) await alone(each)
    }
  }

  const batcher = createBatcher<{ items: Item[] }, void>({
    count: (waiting) => fitting(waiting, most, ({ items }) => items.length),
    work: async (batch) => {
      const [first] = batch
      await (batch.length === 1 && first !== undefined ? alone(first) : together(batch))
    },
  })
  return (items) => batcher.ask({ items })
}
