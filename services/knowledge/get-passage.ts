import { DomainError } from '#core/errors.ts'
import type { KnowledgePassage, PassageName } from '#core/knowledge/schema.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { toPassage } from './to-passage.ts'

/** A passage of the caller's workspace as it was cited. Throws `not_found` once its document says something else there. */
export async function getPassage(
  ctx: KnowledgeContext,
  { id, ...name }: { id: string } & PassageName,
): Promise<KnowledgePassage> {
  const found = await ctx.knowledge.store.passage({ workspace_id: ctx.workspace_id, id }, name)
  if (found === undefined)
    throw new DomainError('not_found', 'there is no such passage; its document has been changed or removed since')
  return toPassage(found)
}
