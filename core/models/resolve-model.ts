import { isModelRole, type Model, type ModelRole, type ModelRoles } from './model.ts'

/** Which models a name stands for: the one to ask, and the one that takes its place while that one fails. */
export interface ResolvedModel {
  model: Model
  fallback?: Model
  role?: ModelRole
}

/** A role is what the profile says, else what the deployment says; any other name is that of a model. Undefined where there is none. */
export function resolveModel(
  name: string,
  bound: { models: readonly Model[]; roles: ModelRoles },
  ofProfile: ModelRoles = {},
): ResolvedModel | undefined {
  const find = (id: string | undefined) => bound.models.find((each) => each.id === id)
  if (!isModelRole(name)) {
    const model = find(name)
    return model && { model }
  }
  const binding = ofProfile[name] ?? bound.roles[name]
  const model = find(binding?.model)
  const fallback = find(binding?.fallback)
  return model && { model, role: name, ...(fallback !== undefined && fallback.id !== model.id && { fallback }) }
}
