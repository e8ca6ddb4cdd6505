/** Alerts of one process within one window that make a flood: five hundred a second. */
const FLOOD_ALERTS = 50
const WINDOW_MS = 100

/** The load that alerts put on a process: under overload they leave it less than half of its time. */
export type Pressure = 'none' | 'flood' | 'overload'

const OVERLOAD_SHARE = 0.5

/**
 * Detects a flood: many alerts arrived in this window, or in the previous one. `now` is in milliseconds, `busy` the recent share of time in
 * which the process had work.
 */
export function createFloodGauge(
  now: () => number,
  busy: () => number,
): { add(count: number): void; pressure(crowded?: boolean): Pressure } {
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
    pressure(crowded = false) {
      turn()
      // read each time, so that the share is recent also when a flood begins
      const share = busy()
      if (!crowded && Math.max(count, before) < FLOOD_ALERTS) return 'none'
      return share > OVERLOAD_SHARE ? 'overload' : 'flood'
    },
  }
}

/** The share of its time, 0 to 1, in which this process had work: since the last measurement but at least over a window. */
export function createBusyGauge(
  measure: () => { active: number; idle: number } = performance.eventLoopUtilization,
): () => number {
  let before = measure()
  let share = 0
  return () => {
    const now = measure()
    const active = now.active - before.active
    const passed = active + now.idle - before.idle
    if (passed < WINDOW_MS) return share
    before = now
    share = active / passed
    return share
  }
}
