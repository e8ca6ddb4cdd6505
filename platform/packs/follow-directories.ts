import { type FSWatcher, watch } from 'node:fs'
import { STILL_MS, type StillOptions } from '../still-file.ts'

export interface FollowOptions {
  /** interval of polling in any case; 1,000 */
  poll_ms?: number
  /** tells how long a file has been still; the clock of the system */
  clock?: StillOptions['clock']
}

/**
 * Calls `reload` soon after something changes in a directory, and every second in any case: watching fails on some file systems. A
 * reload that answers `moving` has found files that are being written, and is repeated when they may be still.
 */
export function followDirectories(
  directories: string[],
  reload: () => 'moving' | 'still',
  { poll_ms = 1_000 }: FollowOptions = {},
) {
  const watchers = new Map<string, FSWatcher>()
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined
  const timer = setInterval(tick, poll_ms)
  timer.unref()
  watchAll()

  function tick(): void {
    watchAll()
    reloadNow()
  }

  function reloadNow(): void {
    clearTimeout(later)
    if (reload() === 'moving') later = setTimeout(reloadNow, STILL_MS).unref()
  }

  function watchAll(): void {
    for (const directory of directories) if (!watchers.has(directory)) watchOne(directory)
  }

  function watchOne(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false, recursive: true }, () => {
        soon ??= setImmediate(() => {
          soon = undefined
          reloadNow()
        })
      })
      watcher.on('error', () => forget(directory))
      watchers.set(directory, watcher)
    } catch {
      // the directory is not there yet; the next tick tries again
    }
  }

  function forget(directory: string): void {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }

  return {
    close(): void {
      clearInterval(timer)
      clearImmediate(soon)
      clearTimeout(later)
      for (const directory of watchers.keys()) forget(directory)
    },
  }
}
