import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DomainError } from '#core/errors.ts'

/** The name that the files of `pack` have, where a new pack has its own. */
const PLACEHOLDER = /\bmy-pack\b/g

export interface Written {
  made: string[]
  /** were there already, and are as they were */
  kept: string[]
}

/** Writes the files of a new data directory; those that are there stay as they are. */
export function writeHome(home: string): Written {
  return write('home', home, (text) => text)
}

/** Writes a new pack into `folder`, which must not exist. Throws `conflict`. */
export function writePack(folder: string, name: string): Written {
  if (existsSync(folder)) throw new DomainError('conflict', `${folder} exists already; choose another name`)
  return write('pack', folder, (text) => text.replaceAll(PLACEHOLDER, name))
}

function write(kind: 'home' | 'pack', to: string, filled: (text: string) => string): Written {
  const from = fileURLToPath(new URL(kind, import.meta.url))
  const written: Written = { made: [], kept: [] }
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  try {
    for (const path of paths) {
      // with its own name it would be in force in this repository
      const file = join(to, path.slice(from.length)).replace(/gitignore$/, '.gitignore')
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const isNew = writeNew(file, filled(readFileSync(path, 'utf8')))
      written[isNew ? 'made' : 'kept'].push(file)
    }
  } catch (error) {
    throw new DomainError('conflict', `nothing can be written to ${to}: ${(error as Error).message}`)
  }
  return written
}

/** Answers false where something has this name. */
function writeNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
