import type { Log } from '#core/log.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { type ConfigDeps, type ConfigMemory, recordConfig } from '#services/config/record-config.ts'

export interface ConfigWatchOptions extends ConfigDeps {
  /** where changes are to be expected */
  directories: string[]
  /** whether this process leads: one of them speaks of what all of them see */
  leading(): boolean
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

/** Puts changes of what protects on record, as soon as they are seen; what changed while nobody looked, when it begins to lead. */
export function createConfigWatch({ directories, leading, log, follow, ...deps }: ConfigWatchOptions) {
  let memory: ConfigMemory | undefined
  let looking: Promise<void> | undefined
  let again = false
  let failing = false
  let following: ReturnType<typeof followDirectories> | undefined

  async function lookOnce(): Promise<void> {
    if (!leading()) {
      memory = undefined
      return
    }
    const noticed = memory === undefined ? 'at_start' : 'running'
    const current = memory ?? { known: undefined, console: new Map() }
    try {
      const changes = await recordConfig(deps, current, noticed)
      memory = current
      failing = false
      if (changes > 0) log.info({ changes, noticed }, 'changes of the configuration were put on record')
    } catch (error) {
      current.known = undefined
      if (!failing) log.warn({ err: error }, 'changes of the configuration are not on record yet')
      failing = true
    }
  }

  /** One look at a time; what happens meanwhile is looked at afterwards. */
  function look(): Promise<void> {
    again = true
    looking ??= (async () => {
      while (again) {
        again = false
        await lookOnce()
      }
    })().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    async start(): Promise<void> {
      following = followDirectories(
        directories,
        () => {
          void look()
          return 'still'
        },
        follow,
      )
      await look()
    },
    async stop(): Promise<void> {
      following?.close()
      await looking
    },
  }
}
