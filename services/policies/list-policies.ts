import { type Environment, isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { PolicyLayerSource } from '#core/policy/layer.ts'
import { type ListedPolicy, policiesByLayer } from '#core/policy/policies-by-layer.ts'
import type { PolicySet } from '#core/policy/types.ts'
import type { ServiceContext, StartPorts } from '../context.ts'

/** All policies of all layers that may count for the workspace, in the environments that it may use. */
export async function listPolicies(
  ctx: Pick<ServiceContext, 'environments' | 'workspace_id' | 'workspace_slug'> & { policyLayers: PolicyLayerSource },
): Promise<ListedPolicy[]> {
  const granted = ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
  return policiesByLayer(await ctx.policyLayers.layers(ctx.workspace_id), granted)
}

/** The policies in force in an environment. Throws `dependency_unavailable`: what cannot be read answers no question. */
export async function policiesIn(
  ctx: Pick<PolicyContext, 'policies' | 'workspace_id'>,
  environment: Environment,
): Promise<PolicySet> {
  return ctx.policies.effective(ctx.workspace_id, environment).catch((cause: unknown) => {
    throw new DomainError('dependency_unavailable', 'the policies cannot be read now', {}, { cause })
  })
}

/** The dependencies of reading and evaluating policies. */
export type PolicyContext = Pick<
  ServiceContext,
  'environments' | 'packs' | 'workspace_id' | 'workspace_slug' | 'default_environment'
> &
  Pick<StartPorts, 'policies'> & { policyLayers: PolicyLayerSource; operators: Pick<OperatorCatalog, 'get'> }
