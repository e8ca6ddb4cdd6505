import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A list, word by word. */
export const words = (text: string) => text.trim().split(/\s+/)

export const PRODUCT = words('core workflows client store services activities workers api platform cli')

export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

export interface Source {
  path: string
  text: string
}

/** Every file of these folders that is code, a migration or a function of the database. */
export function readFolders(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => /\.(tsx?|mjs)$/.test(path) || /^store\/(migrations|functions)\/.*\.sql$/.test(path))
      .filter((path) => !path.startsWith('console/dist/'))
      .sort()
      .map((path) => ({ path, text: read(path) })),
  )
}

/** The text with its comments as blanks, so that lines and columns stay. */
export function withoutComments({ path, text }: Source): string {
  const comments = path.endsWith('.sql') ? /\/\*[\s\S]*?\*\/|--.*$/gm : /^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm
  return text.replaceAll(comments, (comment) => comment.replaceAll(/[^\n]/g, ' '))
}

/** A permission: files, or folders that end in `/`. */
export const isIn = (path: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

export const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length
