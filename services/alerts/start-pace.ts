import type { ServiceContext } from '../context.ts'

type Later = ServiceContext['later']
/** Makes of a way to work later one that waits for its turn. */
export type StartPace = (later: Later) => Later

/** Starts of one process that the engine is told of at once. */
const MOST_AT_ONCE = 16
/** While alerts flood in, one start each. What waits for longer than the sweep over lost starts allows is started by that. */
const PACE_MS = 100

/**
 * Gives way to what still arrives: a run that was admitted is safe, an alert that was not accepted is not. While `pressed`, the
 * engine is told of one run every 100 ms, so that starting them does not take the processor from accepting; afterwards of all.
 */
export function createStartPace(pressed: () => boolean): StartPace {
  const waiting: { later: Later; work: () => Promise<void> }[] = []
  let running = 0
  let resting: NodeJS.Timeout | undefined

  function startOne(): void {
    const next = waiting.shift()
    if (next === undefined) return
    running += 1
    next.later(async () => {
      try {
        await next.work()
      } finally {
        running -= 1
        go()
      }
    })
  }

  function go(): void {
    if (resting !== undefined) return
    if (!pressed()) while (waiting.length > 0 && running < MOST_AT_ONCE) startOne()
    if (waiting.length === 0 || (running > 0 && !pressed())) return
    resting = setTimeout(() => {
      resting = undefined
      if (pressed()) startOne()
      go()
    }, PACE_MS)
    resting.unref()
  }

  return (later) => (work) => {
    waiting.push({ later, work })
    go()
  }
}
