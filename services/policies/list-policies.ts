import { isGranted } from '#core/environment-grants.ts'
import type { PolicyShelf } from '#core/policy/layer.ts'
import { type ListedPolicy, policiesByLayer } from '#core/policy/policies-by-layer.ts'
import type { ServiceContext } from '../context.ts'

/** All policies of all layers that may count for the workspace, in the environments that it may use. */
export async function listPolicies(
  ctx: Pick<ServiceContext, 'environments' | 'workspace_id' | 'workspace_slug'> & { shelf: PolicyShelf },
): Promise<ListedPolicy[]> {
  const granted = ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
  return policiesByLayer(await ctx.shelf.layers(ctx.workspace_id), granted)
}
