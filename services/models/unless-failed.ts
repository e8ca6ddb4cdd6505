import type { Attempt } from './begin-attempt.ts'

/** Settles an attempt as failed when its request fails. */
export async function unlessFailed<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await attempt.failed(error)
    throw error
  }
}
