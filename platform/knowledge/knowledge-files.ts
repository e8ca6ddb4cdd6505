import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDocumentName, isDocumentPath, MAX_CORPUS_BYTES } from '#core/knowledge/chunk-text.ts'
import type { CorpusProblem, CorpusSource } from '#core/knowledge/schema.ts'
import { listDocuments } from './list-documents.ts'
import { isHidden, isInside, type ReadDocument, readDocument } from './read-document.ts'

export type FileSource = Exclude<CorpusSource, { kind: 'inline' }>

export interface KnowledgeListing {
  documents: { path: string; digest: string; size_bytes: number }[]
  /** documents that exist and cannot be read */
  problems: CorpusProblem[]
}

/** Documents of files. Everything is read at each question: a changed file counts from then on. */
export interface KnowledgeFiles {
  /** or why the source as a whole cannot be used */
  list(source: FileSource): Promise<KnowledgeListing | string>
  /** one of the listed documents, or why it cannot be read */
  read(source: FileSource, path: string): ReadDocument | string
}

export interface KnowledgeFilesOptions {
  /** the folder that folders are named below */
  root: string
  /** directories whose folders are packs; the first one with a name owns it */
  packDirs: readonly string[]
  /** tells whether a pack is in use */
  hasPack(name: string): boolean
}

interface Place {
  /** without links */
  directory: string
  /** the one document that is meant */
  only?: string
}

const AT_ONCE = 20

export function createKnowledgeFiles(options: KnowledgeFilesOptions): KnowledgeFiles {
  return {
    async list(source) {
      const place = placeOf(source, options)
      if (typeof place === 'string') return place
      const listed = place.only === undefined ? pathsBelow(place.directory) : { paths: [place.only], problems: [] }
      if (typeof listed === 'string') return listed
      const found: KnowledgeListing = { documents: [], problems: [...listed.problems] }
      let left = MAX_CORPUS_BYTES
      for (const [index, path] of listed.paths.entries()) {
        // other requests are served between the parts
        if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve))
        const read = readDocument(place.directory, path)
        if (typeof read === 'string') found.problems.push({ path, message: read })
        else {
          left -= read.size_bytes
          if (left < 0) return `there are more than ${MAX_CORPUS_BYTES} bytes of documents; split the corpus`
          found.documents.push({ path, digest: read.digest, size_bytes: read.size_bytes })
        }
      }
      return found
    },

    read(source, path) {
      const place = placeOf(source, options)
      if (typeof place === 'string') return place
      return isDocumentPath(path) ? readDocument(place.directory, path) : 'is no path of a document'
    },
  }
}

function pathsBelow(directory: string) {
  try {
    return listDocuments(directory)
  } catch (error) {
    return `the folder cannot be listed: ${codeOf(error)}`
  }
}

/** The folder that a source means, or why there is none. */
function placeOf(source: FileSource, options: KnowledgeFilesOptions): Place | string {
  const meant = source.kind === 'pack' ? packFolder(source.pack, options) : belowRoot(source.path, options.root)
  if (typeof meant === 'string') return meant
  try {
    const root = realpathSync(meant.confines)
    const real = realpathSync(meant.path)
    if (!isInside(real, root)) return 'this link leads out of its directory; copy what it names'
    if (isHidden(real, root)) return 'this link leads to what is hidden; copy what it names'
    if (statSync(real).isDirectory()) return { directory: real }
    // checked by its own name, so that a link does not give another file a document's name
    if (!isDocumentName(basename(meant.path))) return 'it is neither a folder nor a document of Markdown or plain text'
    return { directory: realpathSync(dirname(meant.path)), only: basename(meant.path) }
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? `there is no ${meant.shown}` : `${meant.shown} cannot be read: ${codeOf(error)}`
  }
}

interface Meant {
  path: string
  /** no file that is read may lie outside of it */
  confines: string
  shown: string
}

function belowRoot(path: string, root: string): Meant | string {
  if (!isDocumentPath(path)) return 'the path of a folder is relative, without hidden names, such as runbooks'
  return { path: join(root, path), confines: root, shown: `${path} below SVC_KNOWLEDGE_DIR` }
}

function packFolder(pack: string, { packDirs, hasPack }: KnowledgeFilesOptions): Meant | string {
  const folder = hasPack(pack) ? packDirs.map((dir) => join(dir, pack)).find((each) => existsSync(each)) : undefined
  if (folder === undefined) return `there is no pack ${pack}`
  return { path: join(folder, 'knowledge'), confines: folder, shown: `folder knowledge in the pack ${pack}` }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
