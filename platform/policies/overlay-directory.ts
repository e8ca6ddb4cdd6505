import { type FSWatcher, watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LayerPolicies } from '#core/policy/layer.ts'
import { STILL_MS, type StillOptions } from '../still-file.ts'
import { within } from '../within.ts'
import { NO_POLICY_FILES, readPolicyFiles } from './policy-files.ts'

/** Most times that a reload waits for files that are being written. */
const PATIENCE = 40

export interface OverlayDirectory {
  /**
   * Reads the directory as of the call or later; a file that is being written keeps its last value. Rejects when the directory does not
   * answer in `answer_ms`: its content is unknown then.
   */
  current(): Promise<LayerPolicies>
  /** reloads now, and waits a while for files that are being written */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Keeps the overlay in memory and follows its directory: by watching where that works, and by polling each `poll_ms` in any case. */
export function openOverlayDirectory(
  directory: string,
  options: {
    poll_ms: number
    answer_ms: number
    /** true when it was configured, or has held policies before: then it must exist */
    expected: boolean
    onChange(layer: LayerPolicies): void
    /** it holds policies, or was found empty at the first read */
    onHeld(holds: boolean): void
    clock: StillOptions['clock']
  },
): OverlayDirectory {
  let files = NO_POLICY_FILES
  let watcher: FSWatcher | undefined
  let reloading: Promise<void> | undefined
  let glance: Promise<boolean> | undefined
  let nextGlance: Promise<boolean> | undefined
  let holds: boolean | undefined
  let again = false
  let isFirst = true
  let closed = false

  const poll = (): Promise<void> => {
    if (reloading !== undefined) {
      again = true
      return reloading
    }
    reloading = reloadUntilStill().finally(() => {
      reloading = undefined
    })
    return reloading
  }

  async function reloadUntilStill(): Promise<void> {
    for (let waits = 0; !closed; ) {
      again = false
      const moving = await reload(isFirst && waits === PATIENCE)
      if (moving && waits < PATIENCE) {
        waits += 1
        await sleep(STILL_MS)
      } else if (!again) break
    }
    isFirst = false
  }

  /** One reload at a time; a caller that comes during one shares the next. */
  function reload(as_it_is = false): Promise<boolean> {
    if (nextGlance !== undefined) return nextGlance
    const begin = () => {
      nextGlance = undefined
      glance = reloadOnce(as_it_is).finally(() => {
        glance = undefined
      })
      return glance
    }
    if (glance === undefined) return begin()
    nextGlance = glance.then(begin, begin)
    return nextGlance
  }

  async function reloadOnce(as_it_is: boolean): Promise<boolean> {
    watcher ??= startWatching()
    const before = files
    const { found, moving } = await readPolicyFiles(directory, before, { ...options, as_it_is })
    if (closed) return false
    files = found
    if (files.held !== holds && (files.held || !moving)) {
      options.onHeld(files.held)
      holds = files.held
    }
    if (files !== before) options.onChange(files.layer)
    return moving
  }

  function startWatching(): FSWatcher | undefined {
    if (closed) return undefined
    try {
      const started = watch(directory, { persistent: false }, () => void poll())
      const stop = () => {
        started.close()
        if (watcher === started) watcher = undefined
      }
      started.on('error', stop)
      return started
    } catch {
      return undefined
    }
  }

  const timer = setInterval(() => void poll(), options.poll_ms)
  timer.unref()
  const first = poll()

  return {
    async current() {
      await first
      if (closed) return files.layer
      await within(options.answer_ms, reload(), () => {
        throw new Error(`the policies directory has not answered for ${options.answer_ms} ms`)
      })
      return files.layer
    },
    reload: poll,
    async close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
      await reloading
    },
  }
}
