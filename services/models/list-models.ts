import { isPriced, MODEL_ROLES } from '#core/models/model.ts'
import { resolveModel } from '#core/models/resolve-model.ts'
import { choosePlace } from '../runs/choose-place.ts'
import type { ModelContext } from './model-ports.ts'

/** What can be called from here: models that have a price, and roles that one of them has. */
export function listModels(
  ctx: Pick<ModelContext, 'models' | 'environments' | 'workspace_slug' | 'default_environment'>,
): {
  id: string
  owned_by: string
}[] {
  const bound = ctx.models.bound()
  if (bound.models.length === 0) return []
  const { profile } = choosePlace(ctx, {})
  const roles = MODEL_ROLES.flatMap((role) => {
    const model = resolveModel(role, bound, profile.model_roles)?.model
    return model !== undefined && isPriced(model) ? [{ id: role, owned_by: 'svc' }] : []
  })
  return [...roles, ...bound.models.filter(isPriced).map(({ id, provider }) => ({ id, owned_by: provider }))]
}
