import type { Policy } from '#core/policy/layer.ts'
import { authorOf, mustBeNamed, refuseFaults } from '../authored-document.ts'
import type { PolicyPortsContext } from './policy-ports.ts'

/** The one sound policy of a text. Throws `validation_failed` for everything that `svc check` would call an error. */
export async function checkPolicy(
  ctx: PolicyPortsContext,
  { document, name }: { document: string; name?: string },
): Promise<Policy> {
  const { layer, faults } = await ctx.policy_ports.lint(document, {
    author: authorOf(ctx),
    ...(name !== undefined && { name }),
  })
  refuseFaults(faults)
  const [policy] = layer.policies
  if (policy === undefined || layer.policies.length > 1 || layer.broken.length > 0) {
    refuseFaults([{ file: 'policy', message: `it holds ${layer.policies.length} policies, and takes one` }])
    throw new Error('a policy that is not sound has no fault')
  }
  mustBeNamed('policy', policy.name, undefined)
  return policy
}
