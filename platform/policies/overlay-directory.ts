import { type FSWatcher, watch } from 'node:fs'
import type { LayerPolicies } from '#core/policy/layer.ts'
import { NO_POLICY_FILES, readPolicyFiles } from './policy-files.ts'

export interface OverlayDirectory {
  /** what the directory holds now, or held at the last look; the first call waits for the first look */
  current(): Promise<LayerPolicies>
  /** looks again, now */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Keeps the overlay in memory and follows its directory: by watching where that works, and by looking each `poll_ms` in any case. */
export function openOverlayDirectory(
  directory: string,
  options: {
    poll_ms: number
    /** it was asked for by name, or has held policies before: then it must be there */
    expected: boolean
    onChange(layer: LayerPolicies): void
    /** it holds policies, or was found empty at the first look */
    onHeld(holds: boolean): void
  },
): OverlayDirectory {
  let files = NO_POLICY_FILES
  let watcher: FSWatcher | undefined
  let looking: Promise<void> | undefined
  let holds: boolean | undefined
  let again = false
  let closed = false

  const look = (): Promise<void> => {
    if (looking !== undefined) {
      again = true
      return looking
    }
    looking = lookUntilStill().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookUntilStill(): Promise<void> {
    do {
      again = false
      watcher ??= startWatching()
      const before = files
      files = await readPolicyFiles(directory, before, options)
      if (closed) return
      if (files.held !== holds) options.onHeld(files.held)
      holds = files.held
      if (files !== before) options.onChange(files.layer)
    } while (again && !closed)
  }

  function startWatching(): FSWatcher | undefined {
    if (closed) return undefined
    try {
      const started = watch(directory, { persistent: false }, () => void look())
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

  const timer = setInterval(() => void look(), options.poll_ms)
  timer.unref()
  const first = look()

  return {
    async current() {
      await first
      return files.layer
    },
    reload: look,
    async close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
      await looking
    },
  }
}
