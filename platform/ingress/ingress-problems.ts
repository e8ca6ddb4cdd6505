import { DomainError } from '#core/errors.ts'
import { type Ingress, ingressId } from '#core/ingress/ingress.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import { ingressKeys } from './ingress-keys.ts'

/** An ingress that accepts no delivery, because its secrets are missing or shared. */
export interface IngressProblem {
  ingress: string
  file: string
  line?: number
  message: string
}

/** Returns the ingresses of the packs that are closed to a workspace; names references, never values. */
export function ingressProblems(
  packs: readonly { ingress: readonly Ingress[] }[],
  workspaceId: string,
  env: SecretEnvironment,
): IngressProblem[] {
  return packs.flatMap(({ ingress }) =>
    ingress.flatMap((each) => {
      const message = each.enabled ? problemOf(each, workspaceId, env, packs) : undefined
      if (message === undefined) return []
      const place = each.line === undefined ? {} : { line: each.line }
      return [{ ingress: ingressId(each), file: `${each.pack}/pack.yaml`, ...place, message }]
    }),
  )
}

function problemOf(
  ingress: Ingress,
  workspaceId: string,
  env: SecretEnvironment,
  packs: Parameters<typeof ingressProblems>[0],
): string | undefined {
  try {
    ingressKeys(ingress, workspaceId, env, packs)
    return undefined
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    // a workspace that shares nothing with this sender has no such ingress
    if (error.code === 'not_found') return undefined
    return error.cause instanceof DomainError ? error.cause.message : 'another workspace has the same secret'
  }
}
