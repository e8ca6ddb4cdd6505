import { LANES, type Lane } from '#core/contract.ts'

/** The lane of a task queue; the ledger has none. */
export function laneOfQueue(taskQueue: string): Lane | undefined {
  return LANES.find((lane) => lane === taskQueue)
}
