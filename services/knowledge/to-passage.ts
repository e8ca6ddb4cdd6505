import type { KnowledgePassage } from '#core/knowledge/schema.ts'
import type { FoundChunk } from '#store/knowledge-rows.ts'

/** A row of the index as people see it. */
export function toPassage({ ordinal: _ordinal, heading, ...chunk }: FoundChunk): KnowledgePassage {
  return { ...chunk, ...(heading !== null && { heading }) }
}
