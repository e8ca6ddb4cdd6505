import { coalesced } from '#core/coalesced.ts'
import type { Log } from '#core/log.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { type ConfigDeps, type ConfigMemory, recordConfig } from '#services/config/record-config.ts'

export interface ConfigWatchOptions extends ConfigDeps {
  /** watched directories */
  directories: string[]
  /** true while this process leads: only the leader records */
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

/** Records changes of what protects, as soon as they are seen; earlier changes when it begins to lead. */
export function createConfigWatch({ directories, leading, log, follow, ...deps }: ConfigWatchOptions) {
  let memory: ConfigMemory | undefined
  let reading: Promise<void> | undefined
  let failing = false
  let following: ReturnType<typeof followDirectories> | undefined

  async function readOnce(): Promise<void> {
    if (!leading()) {
      memory = undefined
      return
    }
    const noticed = memory === undefined ? 'at_start' : 'running'
    const current = memory ?? { known: undefined, console: new Map() }
    try {
      const changes = await recordConfig(deps, current, noticed)
      memory = current
      if (failing) log.warn({}, 'changes of the configuration are on record again')
      failing = false
      if (changes > 0) log.info({ changes, noticed }, 'changes of the configuration were put on record')
    } catch (error) {
      current.known = undefined
      if (!failing) log.warn({ err: error }, 'changes of the configuration are not on record yet')
      failing = true
    }
  }

  const readInTurn = coalesced(readOnce)
  const read = () => {
    reading = readInTurn()
    return reading
  }

  return {
    async start(): Promise<void> {
      following = followDirectories(
        directories,
        () => {
          void read()
          return 'still'
        },
        follow,
      )
      await read()
    },
    async stop(): Promise<void> {
      following?.close()
      await reading
    },
  }
}
