import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Remembers across restarts that a directory held policies, in a file of the data directory: one that is gone at the next start
 * must not read as if there had never been any. Where it cannot be written, only the running process knows.
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
