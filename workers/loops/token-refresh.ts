import type { Log } from '#core/log.ts'
import { createLoop } from '#platform/program/create-loop.ts'

/** Most tokens are refreshed before a run needs them. */
const EVERY_MS = 15_000

/** Refreshes what was authorised at providers. */
export function createTokenRefresh({
  refreshDue,
  leading,
  log,
}: {
  refreshDue(): Promise<void>
  leading(): boolean
  log: Pick<Log, 'warn'>
}) {
  const failed = 'tokens of connections could not be refreshed'
  return createLoop({ first_ms: EVERY_MS, again_ms: EVERY_MS, failed, log }, async () => {
    if (leading()) await refreshDue()
    return EVERY_MS
  })
}
