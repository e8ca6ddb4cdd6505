import type { Log } from '#core/log.ts'
import { createLoop } from './create-loop.ts'

const EVERY_MS = 10_000

interface WatchReleasePorts {
  /** the release of this process */
  release: string
  /** the oldest release that may run on the current schema */
  readOldest(): Promise<string>
  /** ends this process in good order */
  onOutdated(): void
  log: Pick<Log, 'warn' | 'error'>
  every_ms?: number
}

/** Ends a process that is too old for a schema that was migrated while it ran. */
export function watchRelease({ release, readOldest, onOutdated, log, every_ms = EVERY_MS }: WatchReleasePorts) {
  let outdated = false
  const failed = 'the release of the schema was not read'
  const loop = createLoop({ first_ms: every_ms, again_ms: every_ms, failed, log }, async () => {
    const oldest = await readOldest()
    if (release < oldest && !outdated) {
      outdated = true
      log.error(
        { release, oldest },
        `the schema was migrated and is for releases from ${oldest} on; this one is ${release} and ends: start the newer release`,
      )
      onOutdated()
    }
    return every_ms
  })
  loop.start()
  return { stop: loop.stop, outdated: () => outdated }
}
