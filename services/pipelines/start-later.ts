import type { StartFact } from '#core/pipeline/snapshot.ts'

const RETRY_MS = 15_000

/** A start that cannot happen now and is tried again within the time of its step; `reason` is shown until then. */
export function startLater(now_ms: number, reason: string): StartFact {
  return { kind: 'later', at_ms: now_ms + RETRY_MS, reason }
}
