import type { Environment } from '#core/environment/environment.ts'
import { MODEL_ACTION, MODEL_CAPABILITY } from '#core/models/model.ts'
import type { PolicyNames } from '#core/names/known-names.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { LoadedPack } from '../packs/loaded-pack.ts'

/** Returns the names that policies may use; the same object while they do not change. */
export function createPolicyNames(sources: {
  packs: { list(): readonly LoadedPack[] }
  environments: { list(): readonly Pick<Environment, 'name'>[] }
  operators: Pick<OperatorCatalog, 'list'>
}): () => PolicyNames {
  let known: { packs: readonly LoadedPack[]; environments: string; names: PolicyNames } | undefined
  return () => {
    const packs = sources.packs.list()
    const environments = sources.environments.list().map(({ name }) => name)
    const key = JSON.stringify(environments)
    if (known?.packs !== packs || known.environments !== key)
      known = { packs, environments: key, names: { environments, ...kindsOfSteps(packs, sources.operators) } }
    return known.names
  }
}

/** Returns the kinds of steps: from operators, and declared by packs. */
export function kindsOfSteps(
  packs: readonly Pick<LoadedPack, 'capabilities' | 'templates'>[],
  operators: Pick<OperatorCatalog, 'list'>,
): Pick<PolicyNames, 'action_types' | 'capabilities'> {
  const plans = packs.flatMap(({ templates }) => templates.map(({ plan }) => plan))
  const steps = plans.flatMap((plan) => plan.steps)
  return {
    action_types: distinct([
      'read',
      MODEL_ACTION,
      ...operators.list().map(({ action_type }) => action_type),
      ...plans.flatMap(({ action_types }) => action_types),
      ...steps.flatMap(({ action_type, operator_type }) => [action_type, operator_type ?? action_type]),
    ]),
    capabilities: distinct([
      MODEL_CAPABILITY,
      ...operators.list().flatMap(({ capabilities }) => [...capabilities]),
      ...packs.flatMap(({ capabilities }) => capabilities),
    ]),
  }
}

function distinct(names: string[]): string[] {
  return [...new Set(names)]
}
