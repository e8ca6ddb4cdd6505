import { DomainError } from '#core/errors.ts'
import { type Ingress, ingressId } from '#core/ingress/ingress.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import { workspaceSecrets } from './workspace-secrets.ts'

/** An ingress that lets nothing in, because of its secrets. */
export interface IngressProblem {
  ingress: string
  file: string
  line?: number
  message: string
}

/** Which ingress of the packs is closed to a workspace; names references, never values. */
export function ingressProblems(
  packs: readonly { ingress: readonly Ingress[] }[],
  workspaceId: string,
  env: SecretEnvironment,
): IngressProblem[] {
  return packs.flatMap(({ ingress }) =>
    ingress.flatMap((each) => {
      const message = each.enabled ? problemOf(each, workspaceId, env) : undefined
      if (message === undefined) return []
      const place = each.line === undefined ? {} : { line: each.line }
      return [{ ingress: ingressId(each), file: `${each.pack}/pack.yaml`, ...place, message }]
    }),
  )
}

function problemOf({ verify }: Ingress, workspaceId: string, env: SecretEnvironment): string | undefined {
  const references = verify.scheme === 'sns' ? verify.topic.filter((topic) => topic.startsWith('env:')) : verify.secret
  if (references.length === 0) return undefined
  try {
    workspaceSecrets(references, workspaceId, env)
    return undefined
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    // a workspace that shares nothing with this sender has no such ingress
    if (error.code === 'not_found') return undefined
    return error.cause instanceof DomainError ? error.cause.message : 'another workspace has the same secret'
  }
}
