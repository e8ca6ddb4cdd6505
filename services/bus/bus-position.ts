import type { BusReads } from '#store/bus/bus-reads.ts'

/** A batch that was just numbered; without topics it may contain any. */
export interface BusBatch {
  from: number
  to: number
  topics?: string[]
}

/** Tracks the log's end and its topics in this process. */
export function createBusPosition(reads: Pick<BusReads, 'head' | 'topics'>) {
  let last_id = 0
  let counted = 0
  let polls = 0
  let redrive_at = 0
  const topics = new Set<string>()

  return {
    head: () => last_id,
    topics: (): ReadonlySet<string> => topics,
    /** changes whenever dead letters were found that are to be retried */
    redrive_at: () => redrive_at,

    /** Reads it: at the start, every second, and after an incomplete notification. */
    async refresh(): Promise<void> {
      const head = await reads.head()
      if (head.topics !== counted) {
        for (const topic of await reads.topics()) topics.add(topic)
        counted = head.topics
      }
      polls += 1
      if (head.redrive) redrive_at = polls
      // last, so that no reader reaches a number whose topic is unknown
      last_id = Math.max(last_id, head.last_id)
    },

    /** Takes a batch's word for it; false when it left something out. */
    learn(batch: BusBatch): boolean {
      if (batch.to <= last_id) return true
      if (batch.topics === undefined || batch.from !== last_id + 1) return false
      for (const topic of batch.topics) topics.add(topic)
      last_id = batch.to
      return true
    },
  }
}

export type BusPosition = ReturnType<typeof createBusPosition>

/** Reads the payload of a notification; undefined for one that cannot be read. */
export function parseBatch(payload: string): BusBatch | undefined {
  try {
    const batch: unknown = JSON.parse(payload)
    if (typeof batch !== 'object' || batch === null || !('from' in batch) || !('to' in batch)) return undefined
    const { from, to } = batch
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return undefined
    const topics = 'topics' in batch && Array.isArray(batch.topics) ? batch.topics.map(String) : undefined
    return { from: Number(from), to: Number(to), ...(topics !== undefined && { topics }) }
  } catch {
    return undefined
  }
}
