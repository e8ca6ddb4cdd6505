import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { LayerPolicies } from '#core/policy/layer.ts'

/** An existing file without policies may be in the middle of being saved, or cut off. */
export const EMPTY_FILE = 'no policy in this file; to have none, remove the file'

/** Tells whether a file holds no policy document: it is empty, or all of it is comments or null. */
export function isEmptyFile({ policies, broken }: LayerPolicies): boolean {
  return policies.length === 0 && broken.length === 0
}

/**
 * Remembers across restarts that a directory held policies, in a file of the data directory: one that is missing at the next start must not
 * read as if it had never existed. If that cannot be written, only the running process remembers.
 */
export function rememberHeld(file: string, directory: string) {
  return {
    wasHeld(): boolean {
      try {
        return readFileSync(file, 'utf8') === directory
      } catch {
        return false
      }
    },
    remember(holds: boolean): void {
      try {
        if (holds) writeFileSync(file, directory)
        else rmSync(file, { force: true })
      } catch {
        // a data directory that is read-only
      }
    },
  }
}
