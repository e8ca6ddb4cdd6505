import type { Later, ServiceContext } from '../context.ts'
import type { Pressure } from './flood-gauge.ts'

type Paced = { later: Later; runs: Pick<ServiceContext['runs'], 'holdStarts'> }
/** Delays deferred work until it is its turn. */
export type StartPace = (ctx: Paced) => Later

interface Start {
  ctx: Paced
  work: () => Promise<void>
  run_id: string | undefined
  since: number
}

/** Most starts that are sent to the engine at once. Before a flood is recognised, each further one costs noticeably. */
const MAX_AT_ONCE = 4
/** In a flood the delay between starts; under overload this many times longer. */
const PACE_MS = 100
const PACES_APART = { flood: 1, overload: 10 }
/** Waiting starts are kept from the sweep over lost starts, which would begin them in the middle of the flood. */
const RENEW_MS = 1_000
const HOLD_MS = 3_000
/** A long flood must not delay a run for ever: from then on the sweep may start it. */
const LONGEST_HOLD_MS = 15_000

/**
 * Gives priority to arriving alerts: an admitted run is safe, an alert that was not accepted is not. In a flood one run starts every 100
 * ms, under overload one every second, so that starts do not take the processor from accepting; afterwards all start.
 */
export function createStartPace(pressure: () => Pressure): StartPace {
  const waiting: Start[] = []
  let running = 0
  let resting: NodeJS.Timeout | undefined
  let paces = 0
  let renewed = performance.now()

  function startOne(): void {
    const next = waiting.shift()
    if (next === undefined) return
    running += 1
    next.ctx.later(async () => {
      try {
        await next.work()
      } finally {
        running -= 1
        pace()
      }
    }, next.run_id)
  }

  function renew(): void {
    const now = performance.now()
    if (now - renewed < RENEW_MS) return
    renewed = now
    const held = waiting.filter(({ since }) => now - since < LONGEST_HOLD_MS).flatMap(({ run_id }) => run_id ?? [])
    const [first] = waiting
    if (held.length > 0) first?.ctx.later(() => first.ctx.runs.holdStarts(held, HOLD_MS))
  }

  function step(): void {
    const pressed = pressure()
    paces += 1
    if (pressed === 'none' || paces < PACES_APART[pressed]) return
    paces = 0
    startOne()
  }

  function pace(): void {
    if (resting !== undefined) return
    const calm = pressure() === 'none'
    if (calm) while (waiting.length > 0 && running < MAX_AT_ONCE) startOne()
    if (waiting.length === 0 || (running > 0 && calm)) return
    renew()
    resting = setTimeout(() => {
      resting = undefined
      step()
      pace()
    }, PACE_MS)
    resting.unref()
  }

  return (ctx) => (work, run_id) => {
    waiting.push({ ctx, work, run_id, since: performance.now() })
    pace()
  }
}
