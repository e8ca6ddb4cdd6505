import type { Environment } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { PolicySet } from '#core/policy/types.ts'
import type { PolicyContext } from './policy-context.ts'

/** The policies in force in an environment. Throws `dependency_unavailable`: what cannot be read answers no question. */
export async function policiesIn(
  ctx: Pick<PolicyContext, 'policies' | 'workspace_id'>,
  environment: Environment,
): Promise<PolicySet> {
  return ctx.policies.effective(ctx.workspace_id, environment).catch((cause: unknown) => {
    throw new DomainError('dependency_unavailable', 'the policies cannot be read now', {}, { cause })
  })
}
