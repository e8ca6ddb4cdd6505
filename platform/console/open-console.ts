import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '#core/log.ts'
import { buildConsole } from './build-console.ts'
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url))

/** The console, as far as it is built: a request does not wait for the build. */
export interface ConsoleSource {
  /** the files, or why there are none yet */
  files(): ConsoleFiles | 'building' | 'failed'
  /** resolves when the build has ended, well or not */
  settled: Promise<void>
}

/** Serves an existing build, else builds one in parallel to the API. */
export function openConsole(options: {
  /** a build made before, as images have it */
  prebuilt: string | undefined
  home: string
  log: Pick<Log, 'info' | 'warn'>
}): ConsoleSource {
  const { prebuilt, home, log } = options
  let state: ConsoleFiles | 'building' | 'failed' = 'building'
  const began = performance.now()
  const folder = prebuilt === undefined ? buildConsole([CACHE, join(home, 'cache')]) : Promise.resolve(prebuilt)
  const settled = folder.then(readConsoleFiles).then(
    (files) => {
      state = files
      log.info({ took_ms: Math.round(performance.now() - began) }, 'the console is ready at /console')
    },
    (error: unknown) => {
      state = 'failed'
      log.warn({ err: error }, 'there is no console: its packages are missing, or SVC_CONSOLE_DIR holds no build')
    },
  )
  return { files: () => state, settled }
}
