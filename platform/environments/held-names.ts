import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Remembers the file names of a directory across restarts, in a file of the data directory: a file that is missing at the next start must
 * not read as if it had never existed. If that cannot be written, only the running process remembers.
 */
export function rememberNames(marker: string) {
  let written = read(marker)
  return {
    names: (): string[] => (written ?? '').split('\n').filter((name) => name !== ''),
    remember(names: string[]): void {
      const text = names.map((name) => `${name}\n`).join('')
      if (text === (written ?? '')) return
      try {
        if (text === '') rmSync(marker, { force: true })
        else {
          const fresh = `${marker}.${process.pid}`
          writeFileSync(fresh, text)
          renameSync(fresh, marker)
        }
        written = text
      } catch {
        // a data directory that is read-only
      }
    },
  }
}

function read(marker: string): string | undefined {
  try {
    return readFileSync(marker, 'utf8')
  } catch {
    return undefined
  }
}
