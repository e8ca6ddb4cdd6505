import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** A backup by its workspace and its id. */
export interface BackupPlace {
  workspace_id: string
  id: string
}

export interface BackupDraft {
  /** Compresses into a file of the draft, and waits until it is written. */
  write(file: string, source: AsyncIterable<Uint8Array>): Promise<void>
  /** Completes it: before this it cannot be found, and after it all of it is there. */
  finish(manifest: string): Promise<void>
  abandon(): Promise<void>
}

/** A store of backups: complete ones, each with a manifest and its files. */
export interface BackupStore {
  readonly directory: string
  begin(place: BackupPlace): Promise<BackupDraft>
  /** undefined where there is no such backup */
  manifest(place: BackupPlace): Promise<string | undefined>
  /** the decompressed content; fails where the file is damaged or missing */
  read(place: BackupPlace, file: string): AsyncIterable<Uint8Array>
  /** ids of the complete ones of a workspace */
  list(workspace_id: string): Promise<string[]>
  remove(place: BackupPlace): Promise<void>
}

const MANIFEST = 'manifest.json'
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}$/

/** Backups as folders of a directory, for the owner of the process alone: `<workspace>/<id>/manifest.json` and one file a table. */
export function createBackupStore(dir: string): BackupStore {
  const folderOf = ({ workspace_id, id }: BackupPlace) => join(dir, plain(workspace_id), plain(id))
  return {
    directory: dir,
    async begin(place) {
      const folder = folderOf(place)
      const draft = `${folder}.draft`
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft, { recursive: true, mode: 0o700 })
      return {
        write: (file, source) =>
          pipeline(
            Readable.from(source, { objectMode: false }),
            createGzip({ level: 1 }),
            createWriteStream(join(draft, plain(file)), { mode: 0o600, flush: true }),
          ),
        async finish(manifest) {
          await writeFile(join(draft, MANIFEST), manifest, { mode: 0o600, flush: true })
          await rm(folder, { recursive: true, force: true })
          await rename(draft, folder)
          await syncFolder(join(dir, plain(place.workspace_id)))
        },
        abandon: () => rm(draft, { recursive: true, force: true }),
      }
    },
    manifest: (place) => readFile(join(folderOf(place), MANIFEST), 'utf8').catch(ifMissing(undefined)),
    async *read(place, file) {
      const unpacked = createGunzip()
      const packed = createReadStream(join(folderOf(place), plain(file)))
      packed.on('error', (error) => unpacked.destroy(error))
      yield* packed.pipe(unpacked)
    },
    async list(workspace_id) {
      const entries = await readdir(join(dir, plain(workspace_id)), { withFileTypes: true }).catch(ifMissing([]))
      return entries.filter((each) => each.isDirectory() && !each.name.endsWith('.draft')).map(({ name }) => name)
    },
    remove: (place) => rm(folderOf(place), { recursive: true, force: true }),
  }
}

/** A name that stays within its folder. */
function plain(name: string): string {
  if (!NAME.test(name) || name.includes('..')) throw new RangeError(`not a name of a backup: ${name}`)
  return name
}

function ifMissing<Value>(value: Value) {
  return (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value
    throw error
  }
}

/** The new name outlives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
