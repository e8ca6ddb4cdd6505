import { isoTime } from '#core/time/time.ts'
import type { ScheduleStore } from '#store/schedules/schedules.ts'

/** A store of schedules over a real database whose clock is another. */
export function storeAt(store: ScheduleStore, clock: () => number): ScheduleStore {
  return {
    ...store,
    stateAt: async (...of) => ({ ...(await store.stateAt(...of)), now: isoTime(clock()) }),
  }
}
