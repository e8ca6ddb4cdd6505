import type { Log } from '#core/log.ts'

const RETRY_EVERY_MS = 1_000
const RETRIES = 60

/** A write to the database, and the message for the log if it never succeeds. */
interface RetriedWrite {
  write(): Promise<void>
  lost: string
  log: Pick<Log, 'error'>
}

/** Writes that have not succeeded yet. */
const pending = new Set<RetriedWrite>()

/**
 * Writes now, or as soon as the database answers again: work that neither ended nor was released counts as a crash, and this process
 * lives. A write that fails for a minute is lost, and an error names it.
 */
export async function writeWithRetry(job: RetriedWrite): Promise<void> {
  await job.write().catch((error: unknown) => retryLater(job, RETRIES, error))
}

/** Tries pending writes for the last time, before the process stops in good order. */
export async function writePending(): Promise<void> {
  const writes = [...pending]
  pending.clear()
  await Promise.all(writes.map((job) => job.write().catch((error: unknown) => giveUp(job, error))))
}

function retryLater(job: RetriedWrite, left: number, error: unknown): void {
  if (left === 0) {
    giveUp(job, error)
    return
  }
  pending.add(job)
  setTimeout(() => {
    if (pending.delete(job)) void job.write().catch((again: unknown) => retryLater(job, left - 1, again))
  }, RETRY_EVERY_MS).unref()
}

function giveUp({ lost, log }: RetriedWrite, error: unknown): void {
  log.error({ err: error, lost }, 'the write failed repeatedly and is dropped')
}
