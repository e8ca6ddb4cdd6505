import { setTimeout as sleep } from 'node:timers/promises'
import { coalesced } from '#core/coalesced.ts'
import type { LayerPolicies } from '#core/policy/layer.ts'
import { followDirectories } from '../packs/follow-directories.ts'
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
  /** reloads now, and waits a while for what is being written */
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
  let holds: boolean | undefined
  let isFirst = true
  let closed = false

  const reload = coalesced(async (how: 'still' | 'as it is'): Promise<boolean> => {
    const before = files
    const { found, moving } = await readPolicyFiles(directory, before, { ...options, as_it_is: how === 'as it is' })
    if (closed) return false
    files = found
    if (files.held !== holds && (files.held || !moving)) {
      options.onHeld(files.held)
      holds = files.held
    }
    if (files !== before) options.onChange(files.layer)
    return moving
  })

  const reloadUntilStill = coalesced(async (): Promise<void> => {
    for (let waits = 0; !closed && (await reload(isFirst && waits === PATIENCE ? 'as it is' : 'still')); waits += 1) {
      if (waits === PATIENCE) break
      await sleep(STILL_MS)
    }
    isFirst = false
  })

  let last: Promise<void> = Promise.resolve()
  const poll = () => {
    last = reloadUntilStill()
    return last
  }
  const following = followDirectories(
    [directory],
    () => {
      void poll()
      return 'still'
    },
    options,
  )
  const first = poll()

  return {
    async current() {
      await first
      if (closed) return files.layer
      await within(options.answer_ms, reload('still'), () => {
        throw new Error(`the policies directory has not answered for ${options.answer_ms} ms`)
      })
      return files.layer
    },
    reload: poll,
    async close() {
      closed = true
      following.close()
      await last
    },
  }
}
