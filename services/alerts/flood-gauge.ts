/** Alerts of one process within one window that make a flood: five hundred a second. */
const FLOOD_ALERTS = 50
const WINDOW_MS = 100

/** Whether alerts come in a flood: as many in this window, or in the one that has just ended. `now` is in milliseconds. */
export function createFloodGauge(now: () => number): { add(count: number): void; rising(): boolean } {
  let began = Number.NEGATIVE_INFINITY
  let count = 0
  let before = 0

  function turn(): void {
    const passed = now() - began
    if (passed < WINDOW_MS) return
    before = passed < 2 * WINDOW_MS ? count : 0
    count = 0
    began = now()
  }

  return {
    add(alerts) {
      turn()
      count += alerts
    },
    rising() {
      turn()
      return Math.max(count, before) >= FLOOD_ALERTS
    },
  }
}
