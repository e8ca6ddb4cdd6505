import type { HaltStore } from '#store/halts.ts'

const EVERY_MS = 300
/** Whatever has come to stand without a halt is looked for this often, also when none was lifted. */
const ANYWAY_MS = 30_000
const BATCH = 200
const AT_ONCE = 20

export interface HeldRunDeps {
  halts: Pick<HaltStore, 'lastLifted' | 'released' | 'markWoken'>
  wake(runId: string): Promise<void>
  leading(): boolean
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Wakes what a halt has held as soon as it is lifted. A run that is woken twice asks the record twice. */
export function createHeldRunLoop(deps: HeldRunDeps) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> = Promise.resolve()
  let seen: string | null | undefined
  let looked = Number.NEGATIVE_INFINITY

  async function round(): Promise<void> {
    const lifted = await deps.halts.lastLifted()
    if (lifted === seen && performance.now() - looked < ANYWAY_MS) return
    let count = 0
    for (;;) {
      const runs = await deps.halts.released(BATCH)
      if (runs.length === 0 || stopped) break
      for (let at = 0; at < runs.length; at += AT_ONCE) await Promise.all(runs.slice(at, at + AT_ONCE).map(deps.wake))
      await deps.halts.markWoken(runs)
      count += runs.length
    }
    if (count > 0) deps.log.info({ count }, 'runs that a halt had held go on')
    seen = lifted
    looked = performance.now()
  }

  function next(): void {
    timer = setTimeout(() => {
      const work = deps.leading() ? round() : Promise.resolve()
      current = work
        .catch((error: unknown) => deps.log.warn({ error: String(error) }, 'held runs could not be woken'))
        .finally(() => {
          if (!stopped) next()
        })
    }, EVERY_MS)
  }

  return {
    start: next,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
