import type { Logger } from '../logger.ts'

/** Lets go of everything in this order; what cannot be closed does not keep the rest open. */
export async function releaseAll(steps: readonly (() => unknown)[], log: Pick<Logger, 'warn'>): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      log.warn({ error: String(error) }, 'something could not be closed')
    }
  }
}
