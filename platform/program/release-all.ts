import { stat } from 'node:fs/promises'
import type { Log } from '#core/log.ts'

/** Releases everything in this order; a failure does not prevent the rest. */
export async function releaseAll(steps: readonly (() => unknown)[], log: Pick<Log, 'warn'>): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      log.warn({ err: error }, 'something could not be closed')
    }
  }
}

export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
