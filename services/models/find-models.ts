import type { Profile } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import {
  isModelRole,
  isPriced,
  MODEL_ROLES,
  type Model,
  type ModelRole,
  NO_MODEL,
  type PricedModel,
  type ReachableModel,
  resolveModel,
  whyNeverCalled,
} from '#core/models/model.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import type { ModelContext, ModelPorts } from './model-ports.ts'

/** The dependencies of finding models. */
export type ModelFinder = Pick<ModelPorts, 'models'> & { upstream: Pick<ModelPorts['upstream'], 'reach'> }

/** A model and its fallback, as a name resolves to them. */
export interface FoundModels {
  candidates: [ReachableModel, ...ReachableModel[]]
  role?: ModelRole | undefined
}

/**
 * Resolves a name to models, with their current endpoints. Throws `not_configured` where none is bound or one has no price, and `not_found`
 * for an unknown name.
 */
export function findModels(
  { models, upstream }: ModelFinder,
  name: string,
  profile: Pick<Profile, 'model_roles'>,
): FoundModels {
  const bound = models.bound()
  if (bound.models.length === 0) throw new DomainError('not_configured', NO_MODEL)
  const resolved = resolveModel(name, bound, profile.model_roles)
  if (resolved === undefined) throw new DomainError('not_found', unknownText(name), { model: name })
  const { model, fallback, role } = resolved
  const reach = (each: Model) => upstream.reach(mustBePriced(each))
  return { candidates: [reach(model), ...(fallback === undefined ? [] : [reach(fallback)])], role }
}

/** The end of the error about an unknown model, where an API can be asked. A step replaces it by the way to bind the model. */
export const NAMED_BY_API = '; GET /v1/models names them.'

function unknownText(name: string): string {
  return isModelRole(name)
    ? `Nothing has the role ${name}: say which model does with \`svc models roles ${name}=<model>\`.`
    : `There is no model or role ${JSON.stringify(name)}${NAMED_BY_API}`
}

/** No cap could apply without a price. */
function mustBePriced(model: Model): PricedModel {
  if (isPriced(model)) return model
  throw new DomainError('not_configured', `The model ${model.id} is never called: ${whyNeverCalled(model)}.`)
}

/** Lists the callable models: models with a price, and roles that have one. */
export function listModels(
  ctx: Pick<ModelContext, 'models' | 'environments' | 'workspace_slug' | 'default_environment'>,
): {
  id: string
  owned_by: string
}[] {
  const bound = ctx.models.bound()
  if (bound.models.length === 0) return []
  const { profile } = chooseEnvironment(ctx, {})
  const roles = MODEL_ROLES.flatMap((role) => {
    const model = resolveModel(role, bound, profile.model_roles)?.model
    return model !== undefined && isPriced(model) ? [{ id: role, owned_by: 'svc' }] : []
  })
  return [...roles, ...bound.models.filter(isPriced).map(({ id, provider }) => ({ id, owned_by: provider }))]
}
