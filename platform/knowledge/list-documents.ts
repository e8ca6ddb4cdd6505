import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDocumentName, isDocumentPath } from '#core/knowledge/chunk-text.ts'
import type { CorpusProblem } from '#core/knowledge/schema.ts'

const MAX_DOCUMENTS = 2_000
const MAX_ENTRIES = 20_000
const MAX_DEPTH = 8

export interface DocumentPaths {
  /** in code unit order, with `/` between folders */
  paths: string[]
  problems: CorpusProblem[]
}

/**
 * Lists Markdown and plain text below a directory, without hidden files; or returns why there is too much. Linked folders are named, and
 * not entered.
 */
export function listDocuments(directory: string): DocumentPaths | string {
  const found: DocumentPaths = { paths: [], problems: [] }
  const open = ['']
  let entries = 0
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true }).filter(isVisible)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      entries += 1
      if (entries > MAX_ENTRIES)
        return `there are more than ${MAX_ENTRIES} files and folders; is this the right folder?`
      if (entry.isDirectory()) {
        if (path.split('/').length > MAX_DEPTH)
          found.problems.push({ path, message: `lies more than ${MAX_DEPTH} folders deep` })
        else open.push(path)
      } else if (isDocumentName(entry.name)) {
        if (isDocumentPath(path)) found.paths.push(path)
        else
          found.problems.push({
            path,
            message: 'has a name that cannot be cited; use letters, digits, dots and dashes',
          })
      } else if (entry.isSymbolicLink() && !entry.name.includes('.'))
        found.problems.push({ path, message: 'is a link, which is not entered; copy the folder' })
    }
  }
  found.paths.sort()
  return found.paths.length > MAX_DOCUMENTS ? `there are more than ${MAX_DOCUMENTS} documents; split the corpus` : found
}

function isVisible({ name }: Dirent): boolean {
  return !name.startsWith('.')
}
