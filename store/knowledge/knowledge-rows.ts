import type { CorpusProblem, CorpusSource } from '#core/knowledge/schema.ts'

export interface CorpusRow {
  id: string
  workspace_id: string
  name: string
  source: CorpusSource
  /** counts how often its documents were listed */
  version: number
  /** documents that could not be read at the last listing */
  problems: CorpusProblem[]
  author: string
  created_at: string
  updated_at: string
  listed_at: string | null
  documents: number
  pending: number
  chunks: number
  /** chunks that can be found by their meaning */
  vectors: number
  bytes: number
}

export type CorpusDraft = Pick<CorpusRow, 'id' | 'workspace_id' | 'name' | 'source' | 'author'>
export type CorpusPlace = Pick<CorpusRow, 'id' | 'workspace_id'>

/** A document as the source has it now; `content` where it cannot be read again. */
export interface ListedDocument {
  path: string
  digest: string
  size_bytes: number
  content?: string
}

export interface PendingDocument {
  path: string
  digest: string
  content: string | null
}

/** The changes of a listing. */
export interface ListingChanges {
  added: number
  changed: number
  unchanged: number
  removed: number
}

export interface FoundChunk {
  corpus_id: string
  corpus: string
  path: string
  ordinal: number
  from_line: number
  to_line: number
  heading: string | null
  text: string
  digest: string
}

/** A chunk that has no vector yet. */
export type UnplacedChunk = Pick<FoundChunk, 'path' | 'ordinal' | 'heading' | 'text' | 'digest'>
