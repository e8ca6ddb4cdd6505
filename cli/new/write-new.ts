import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

/** Makes a new pack, `folder`, which must not exist; a service that runs sees all of it or nothing. Throws `conflict`. */
export function writePack(folder: string, name: string): Written {
  if (existsSync(folder)) throw new DomainError('conflict', `${folder} exists already; choose another name`)
  const unseen = join(dirname(folder), `.${name}.new`)
  rmSync(unseen, { recursive: true, force: true })
  const { made, kept } = write('pack', unseen, (text) => text.replaceAll(PLACEHOLDER, name))
  renameSync(unseen, folder)
  return { made: made.map((file) => join(folder, relative(unseen, file))), kept }
}

/** Writes the example of a worker and a pack with a step for it; what is there stays as it is. */
export function writeWorker({ worker, pack }: { worker: string; pack: string }): Written {
  const written = [
    write('../../examples/typescript', worker, (text) => text),
    write('worker-pack', pack, (text) => text),
  ]
  return { made: written.flatMap(({ made }) => made), kept: written.flatMap(({ kept }) => kept) }
}

function write(
  kind: 'home' | 'pack' | 'worker-pack' | '../../examples/typescript',
  to: string,
  filled: (text: string) => string,
): Written {
  const from = fileURLToPath(new URL(kind, import.meta.url))
  const written: Written = { made: [], kept: [] }
  const files = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  try {
    for (const path of paths) {
      // with its own name it would be in force in this repository
      const file = join(to, path.slice(from.length)).replace(/gitignore$/, '.gitignore')
      const isNew = writeNew(file, filled(readFileSync(path, 'utf8')))
      written[isNew ? 'made' : 'kept'].push(file)
    }
  } catch (error) {
    throw new DomainError('conflict', `nothing can be written to ${to}: ${(error as Error).message}`)
  }
  return written
}

/** Answers false where something has this name. */
export function writeNew(file: string, text: string, mode = 0o666): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, text, { flag: 'wx', mode })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
