import type { Log } from '#core/log.ts'
import { createLoop } from '#platform/program/create-loop.ts'
import type { HaltStore } from '#store/halts.ts'

const EVERY_MS = 300
/** Interval of the search for stopped runs without a halt, which happens even if no halt was lifted. */
const ANYWAY_MS = 30_000
/** The first delay after a failed wake-up; each further one is twice as long. */
const FIRST_RETRY_MS = 1_000
const BATCH = 200
const AT_ONCE = 20

export interface HeldRunDeps {
  halts: Pick<HaltStore, 'lastLifted' | 'release' | 'unwoken' | 'markWoken'>
  wake(runId: string): Promise<void>
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
  every_ms?: number
  first_retry_ms?: number
}

/** Wakes the runs of a lifted halt, or of a reopened workspace. A run that is woken twice reads the record twice. */
export function createHeldRunLoop(deps: HeldRunDeps) {
  const { every_ms = EVERY_MS, first_retry_ms = FIRST_RETRY_MS } = deps
  let stopped = false
  let seen: string | undefined
  let retry_at = Number.NEGATIVE_INFINITY
  let retry_ms = first_retry_ms

  async function round(): Promise<void> {
    const lifted = await deps.halts.lastLifted()
    const isDue = performance.now() >= retry_at
    if (lifted === seen && !isDue) return
    const again = isDue ? await wakeAgain() : NOTHING
    const released = await wakeReleased()
    const count = again.woken + released.woken
    if (count > 0) deps.log.info({ count }, 'runs that a halt had held continue')
    seen = lifted
    const failed = again.failed + released.failed > 0
    if (failed) plan(Math.min(retry_ms, ANYWAY_MS), isDue)
    else if (isDue) plan(ANYWAY_MS, true)
    if (isDue) retry_ms = failed ? Math.min(retry_ms * 2, ANYWAY_MS) : first_retry_ms
  }

  /** A retry that is planned already is not put off by what failed after it. */
  function plan(wait_ms: number, isDue: boolean): void {
    const at = performance.now() + wait_ms
    retry_at = isDue ? at : Math.min(retry_at, at)
  }

  async function wakeReleased(): Promise<Woken> {
    const sum = { ...NOTHING }
    while (!stopped) {
      const runs = await deps.halts.release(BATCH)
      if (runs.length === 0) break
      add(sum, await wakeAll(runs))
    }
    return sum
  }

  /** Also those that another process took and did not wake before it ended. */
  async function wakeAgain(): Promise<Woken> {
    const sum = { ...NOTHING }
    const runs = await deps.halts.unwoken()
    for (let at = 0; at < runs.length && !stopped; at += BATCH) add(sum, await wakeAll(runs.slice(at, at + BATCH)))
    return sum
  }

  async function wakeAll(runs: string[]): Promise<Woken> {
    const woken: string[] = []
    let why: unknown
    for (let at = 0; at < runs.length; at += AT_ONCE) {
      const some = runs.slice(at, at + AT_ONCE)
      const ends = await Promise.allSettled(some.map(deps.wake))
      ends.forEach((end, index) => {
        const id = some[index]
        if (end.status === 'rejected') why ??= end.reason
        else if (id !== undefined) woken.push(id)
      })
    }
    await deps.halts.markWoken(woken)
    const failed = runs.length - woken.length
    if (failed > 0) deps.log.warn({ count: failed, err: why }, 'held runs could not be woken')
    return { woken: woken.length, failed }
  }

  const { log } = deps
  const failed = 'held runs could not be looked for'
  const loop = createLoop({ first_ms: every_ms, again_ms: every_ms, failed, log }, async () => {
    if (deps.leading()) await round()
    return every_ms
  })

  return {
    start: loop.start,
    stop(): Promise<void> {
      stopped = true
      return loop.stop()
    },
  }
}

interface Woken {
  woken: number
  failed: number
}

const NOTHING: Woken = { woken: 0, failed: 0 }

function add(sum: Woken, more: Woken): void {
  sum.woken += more.woken
  sum.failed += more.failed
}
