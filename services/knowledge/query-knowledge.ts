import { DomainError } from '#core/errors.ts'
import type { KnowledgeHit } from '#core/knowledge/schema.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { searchCorpora } from './search-corpora.ts'

export interface KnowledgeQuestion {
  query: string
  /** only its attached corpora */
  environment?: string | undefined
  /** only these, by name */
  corpora?: string[] | undefined
  limit?: number | undefined
}

/**
 * Searches the corpora of the caller's workspace, best first. Results are data, written by others. Throws `validation_failed` for an
 * unknown environment or corpus.
 */
export async function queryKnowledge(ctx: KnowledgeContext, question: KnowledgeQuestion): Promise<KnowledgeHit[]> {
  const { hits } = await searchCorpora(ctx, { ...question, corpora: await meant(ctx, question) })
  return hits
}

async function meant(
  ctx: KnowledgeContext,
  { environment, corpora }: KnowledgeQuestion,
): Promise<{ id: string; name: string }[]> {
  const all = await ctx.knowledge.store.named(ctx.workspace_id)
  const missing = corpora?.find((name) => !all.some((each) => each.name === name))
  if (missing !== undefined) {
    const names = all.map(({ name }) => name)
    throw new DomainError('validation_failed', `there is no corpus ${missing}${didYouMean(missing, names)}`)
  }
  const attached =
    environment === undefined ? undefined : (chooseEnvironment(ctx, { environment }).environment.knowledge ?? [])
  return all.filter(
    ({ name }) => (corpora?.includes(name) ?? true) && (attached === undefined || attached.includes(name)),
  )
}
