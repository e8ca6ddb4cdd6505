import { AuthoredName } from '#core/policy/console-schema.ts'
import type { Policy } from '#core/policy/layer.ts'
import { authorOf, refuseFaults } from '../authored-document.ts'
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
  const file = 'policy'
  if (policy === undefined || layer.policies.length > 1 || layer.broken.length > 0) {
    refuseFaults([{ file, message: `it holds ${layer.policies.length} policies, and takes one` }])
    throw new Error('a policy that is not sound has no fault')
  }
  const named = AuthoredName.safeParse(policy.name)
  if (!named.success)
    refuseFaults(named.error.issues.map(({ message }) => ({ file, message: `the name ${policy.name} ${message}` })))
  return policy
}
