import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import type { OperatorCatalog } from '#core/operator.ts'
import type { StillOptions } from '../still-file.ts'
import { loadPack, type PackLoad, unreadablePolicies } from './pack-loader.ts'
import { packStamp } from './read-pack-files.ts'

/** Immediate retries for a pack that changes while it is read, where the caller cannot wait. */
const ATTEMPTS = 5

/** Loads a pack once none of its files is being written; `same`: nothing changed since `before`. */
export function loadStill(
  folder: string,
  catalog: OperatorCatalog,
  before: string | undefined,
  { clock, as_it_is }: StillOptions,
): 'same' | 'moving' | { stamp: string; loaded: PackLoad } {
  for (let attempt = 1; ; attempt += 1) {
    const { stamp, still } = stampOf(folder, clock)
    if (stamp === before) return 'same'
    if (!still && as_it_is !== true) return 'moving'
    const loaded = loadOrFail(folder, catalog)
    if (stampOf(folder, clock).stamp === stamp) return { stamp, loaded }
    if (as_it_is !== true) return 'moving'
    if (attempt === ATTEMPTS) return { stamp, loaded: failed(folder, 'is being written') }
  }
}

/** Links are resolved first, so that swapping the link of a whole pack counts as a change. */
function stampOf(folder: string, clock: StillOptions['clock']): { stamp: string; still: boolean } {
  try {
    const real = realpathSync(folder)
    const { stamp, still } = packStamp(folder, clock)
    return { stamp: `${real}:${stamp}`, still }
  } catch (error) {
    return { stamp: String(error), still: true }
  }
}

function loadOrFail(folder: string, catalog: OperatorCatalog): PackLoad {
  try {
    return loadPack(folder, catalog)
  } catch (error) {
    return failed(folder, error instanceof Error ? error.message : String(error))
  }
}

function failed(folder: string, message: string): PackLoad {
  const name = basename(folder)
  return { name, faults: [{ file: name, message }], policies: unreadablePolicies(folder) }
}
