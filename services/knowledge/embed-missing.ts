import { DomainError } from '#core/errors.ts'
import { signsOf, unitVector } from '#core/knowledge/fuse-ranks.ts'
import type { CorpusIndexed } from '#core/knowledge/schema.ts'
import { resolveModel } from '#core/models/model.ts'
import type { CorpusRow, UnplacedChunk } from '#store/knowledge/knowledge-rows.ts'
import { may } from '../auth/may.ts'
import { createChatCompletion } from '../models/call-model.ts'
import { embedTexts } from '../models/embed-texts.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** The role of the embedding model. */
export const EMBED_ROLE = 'embed'

/** Returns the id of the embedding model, and why the caller may not use it; nothing where none is bound. */
export function embedModel(ctx: KnowledgeContext): { model?: string; refused?: string } {
  const bound = ctx.models.bound()
  if (bound.models.length === 0) return {}
  const model = resolveModel(EMBED_ROLE, bound, chooseEnvironment(ctx, {}).profile.model_roles)?.model.id
  if (model === undefined) return {}
  const refused = refusalOf(ctx)
  return { model, ...(refused !== undefined && { refused }) }
}

/** As for every other call of a model. */
function refusalOf({ actor }: Pick<KnowledgeContext, 'actor'>): string | undefined {
  const { role } = createChatCompletion.needs
  if (!may(actor, role)) return `Calls of models take the role ${role}.`
  if (actor.key !== undefined && !actor.key.scopes.includes('models:call'))
    return 'Calls of models take an API key of the scope models:call.'
  return undefined
}

const AT_ONCE = 32

/**
 * Embeds chunks until a moment, where a model is bound to `embed`. A refusal by policies, caps or the provider ends it and is reported:
 * chunks without a vector are found by words.
 */
export async function embedMissing(
  ctx: KnowledgeContext,
  corpus: CorpusRow,
  until_ms: number,
): Promise<CorpusIndexed['vectors']> {
  const asked = embedModel(ctx)
  const { model } = asked
  if (model === undefined) return { made: 0, left: 0 }
  const { store } = ctx.knowledge
  let made = 0
  let { refused } = asked
  while (refused === undefined && ctx.clock() < until_ms) {
    const batch = await store.withoutVector(corpus, model, AT_ONCE)
    if (batch.length === 0) break
    try {
      const written = await place(ctx, corpus, { model, batch })
      made += written
      if (written === 0) break
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      refused = error.message
    }
  }
  const left = await store.countWithoutVector(corpus, model)
  return { model, made, left, ...(refused !== undefined && { refused }) }
}

async function place(
  ctx: KnowledgeContext,
  corpus: CorpusRow,
  { model, batch }: { model: string; batch: readonly UnplacedChunk[] },
): Promise<number> {
  const texts = batch.map(({ heading, text }) => (heading === null ? text : `${heading}\n\n${text}`))
  const { vectors, model: by } = await embedTexts(ctx, {
    model: EMBED_ROLE,
    texts,
    signal: new AbortController().signal,
  })
  if (by !== model) throw new DomainError('conflict', 'The role embed was bound to another model meanwhile.')
  const placed = batch.flatMap(({ path, ordinal, digest }, index) => {
    const vector = unitVector(vectors[index] ?? [])
    return vector === undefined ? [] : [{ path, ordinal, digest, vector, signs: signsOf(vector) }]
  })
  return await ctx.knowledge.store.putVectors(corpus, model, placed)
}
