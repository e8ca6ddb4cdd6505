import { resolveModel } from '#core/models/resolve-model.ts'
import { may } from '../auth/may.ts'
import { choosePlace } from '../runs/choose-place.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** The role whose model makes vectors. */
export const EMBED_ROLE = 'embed'

/** Id of the model that makes vectors here, and why the caller may not have it asked; nothing where none is bound. */
export function embedModel(ctx: KnowledgeContext): { model?: string; refused?: string } {
  const bound = ctx.models.bound()
  if (bound.models.length === 0) return {}
  const model = resolveModel(EMBED_ROLE, bound, choosePlace(ctx, {}).profile.model_roles)?.model.id
  if (model === undefined) return {}
  const refused = refusalOf(ctx)
  return { model, ...(refused !== undefined && { refused }) }
}

/** As for every other call of a model. */
function refusalOf({ actor }: Pick<KnowledgeContext, 'actor'>): string | undefined {
  if (!may(actor, 'operator')) return 'Calls of models take the role operator.'
  if (actor.key !== undefined && !actor.key.scopes.includes('models:call'))
    return 'Calls of models take an API key of the scope models:call.'
  return undefined
}
