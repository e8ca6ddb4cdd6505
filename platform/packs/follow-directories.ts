import { type FSWatcher, watch } from 'node:fs'

export interface FollowOptions {
  /** how often to look in any case; 1,000 */
  poll_ms?: number
}

/** Calls `look` soon after something changes in a directory, and every second in any case: watching fails on some file systems. */
export function followDirectories(directories: string[], look: () => void, { poll_ms = 1_000 }: FollowOptions = {}) {
  const watchers = new Map<string, FSWatcher>()
  let soon: NodeJS.Immediate | undefined
  const timer = setInterval(tick, poll_ms)
  timer.unref()
  watchAll()

  function tick(): void {
    watchAll()
    look()
  }

  function watchAll(): void {
    for (const directory of directories) if (!watchers.has(directory)) watchOne(directory)
  }

  function watchOne(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false, recursive: true }, () => {
        soon ??= setImmediate(() => {
          soon = undefined
          look()
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
      for (const directory of watchers.keys()) forget(directory)
    },
  }
}
