import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#core/log.ts'
import type { Readiness } from '#core/readiness.ts'

const AGAIN_MS = 500
/** a wait is reported at once, and then at this interval */
const REPORT_EVERY_MS = 10_000

/** This process cannot start: an operator has to do what the message says. */
export class StartRefused extends Error {}

export interface AwaitOptions {
  log: Pick<Log, 'info' | 'warn'>
  /** gives up the wait, with its reason */
  signal?: AbortSignal | undefined
  again_ms?: number
  report_every_ms?: number
}

/** Waits until the dependencies of a process are ready, and reports what it waits for. Throws StartRefused where waiting does not help. */
export async function awaitReadiness(checks: (() => Promise<Readiness>)[], options: AwaitOptions): Promise<void> {
  const { log, signal, again_ms = AGAIN_MS, report_every_ms = REPORT_EVERY_MS } = options
  const began = performance.now()
  let reported: { text: string; at: number } | undefined
  for (;;) {
    signal?.throwIfAborted()
    const found = await Promise.all(checks.map((check) => check()))
    const refusals = found.flatMap((each) => ('refuse' in each ? each.refuse : []))
    if (refusals.length > 0) throw new StartRefused(refusals.join('. '))
    const waits = found.flatMap((each) => ('wait' in each ? each.wait : []))
    if (waits.length === 0) {
      for (const each of found) if (each.ready && each.note !== undefined) log.warn({}, each.note)
      if (reported !== undefined) log.info({}, 'the wait is over')
      return
    }
    const text = waits.join('. ')
    const now = performance.now()
    if (reported?.text !== text || now - reported.at >= report_every_ms) {
      reported = { text, at: now }
      log.warn({ waited_ms: Math.round(now - began) }, `${text}. The start waits`)
    }
    await pause(again_ms, undefined, { signal })
  }
}
