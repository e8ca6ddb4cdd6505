import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { cutText } from '#core/text/text.ts'
import { visibleLine } from '#core/text/visible-text.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
/** a pipe in the place of a file is not waited for */
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
const MAX_DEPTH = 20
const MAX_ENTRIES = 1_000
const NAME_CHARS = 200

/** A file that a process left in its folder, by its path there. */
export interface LeftFile {
  name: string
  body: Buffer
}

export interface KeepLimits {
  files: number
  bytes: number
}

/** Why the files cannot be kept, in a sentence. */
class NotKept extends Error {}

/**
 * Reads files, and those of folders, below a folder that somebody else could still change: no link is followed, also no link that takes the
 * place of a folder meanwhile, and every file belongs to the user `uid`, so that a hard link leads to nothing of others.
 */
export async function leftFiles(
  folder: FileHandle,
  wanted: readonly string[],
  { limits, uid }: { limits: KeepLimits; uid: number },
): Promise<LeftFile[] | { problem: string }> {
  const left = new Map<string, LeftFile>()
  let [bytes, entries] = [0, 0]

  async function take(file: FileHandle, name: string): Promise<void> {
    const { size, uid: owner } = await file.stat()
    if (owner !== uid) throw new NotKept(`${name} belongs to another user`)
    if (left.size === limits.files) throw new NotKept(`there are more than ${limits.files} files`)
    const room = limits.bytes - bytes
    // it may grow while it is read
    const body = size > room ? undefined : await readUpTo(file, room)
    if (body === undefined) throw new NotKept(`the files have more than ${limits.bytes / 1024 / 1024} MB`)
    bytes += body.byteLength
    left.set(name, { name, body })
  }

  async function below(parent: FileHandle, path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw new NotKept(`${path} is nested too deeply`)
    const names: string[] = []
    for await (const { name } of await opendir(pathOf(parent))) {
      names.push(name)
      entries += 1
      if (entries > MAX_ENTRIES) throw new NotKept(`there are more than ${MAX_ENTRIES} files and folders`)
    }
    for (const name of names.sort()) await visit(parent, { name, path: path === '' ? name : `${path}/${name}`, depth })
  }

  async function visit(parent: FileHandle, at: { name: string; path: string; depth: number }): Promise<void> {
    const { name, path, depth } = at
    if (path.length > NAME_CHARS || visibleLine(path) !== path || path.includes('\ufffd'))
      throw new NotKept(
        `the name ${cutText(visibleLine(path), NAME_CHARS)} is too long, or has characters that are not seen`,
      )
    const child = await open(`${pathOf(parent)}/${name}`, FILE).catch((error: NodeJS.ErrnoException) => {
      throw new NotKept(notOpened(path, error.code))
    })
    try {
      const stat = await child.stat()
      if (stat.isDirectory()) await below(child, path, depth + 1)
      else if (!stat.isFile()) throw new NotKept(`${path} is not a file`)
      else if (!left.has(path)) await take(child, path)
    } finally {
      await child.close()
    }
  }

  async function find(path: string): Promise<void> {
    const opened: FileHandle[] = []
    try {
      let parent = folder
      const names = path.split('/')
      for (const [index, name] of names.slice(0, -1).entries()) {
        parent = await open(`${pathOf(parent)}/${name}`, FOLDER).catch((error: NodeJS.ErrnoException) => {
          throw new NotKept(notOpened(names.slice(0, index + 1).join('/'), error.code))
        })
        opened.push(parent)
      }
      await visit(parent, { name: names.at(-1) ?? '', path, depth: names.length })
    } finally {
      for (const each of opened) await each.close()
    }
  }

  try {
    for (const path of wanted) await (path === '.' ? below(folder, '', 0) : find(path))
    return [...left.values()]
  } catch (error) {
    if (error instanceof NotKept) return { problem: error.message }
    throw error
  }
}

export async function openFolder(path: string): Promise<FileHandle> {
  return await open(path, FOLDER)
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`
}

function notOpened(path: string, code: string | undefined): string {
  if (code === 'ENOENT') return `it left no ${path}`
  if (code === 'ELOOP' || code === 'ENOTDIR') return `${path} is a link, or behind one`
  return `${path} cannot be read (${code})`
}

async function readUpTo(file: FileHandle, most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of file.createReadStream({ autoClose: false })) {
    bytes += part.byteLength
    if (bytes > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Removes a folder whose owner may still change it: unlike Node, this program follows no link that takes the place of a folder. */
export async function removeFolder(path: string): Promise<void> {
  await new Promise<void>((resolve) => execFile('/bin/rm', ['-rf', '--', path], { env: {} }, () => resolve()))
}
