import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type Ingress, ingressId } from '#core/ingress/ingress.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import { workspaceSecrets } from './workspace-secrets.ts'

type Packs = readonly { ingress: readonly Ingress[] }[]

/**
 * Returns the proof of a sender in a workspace: the values of its secrets, or the topics of SNS. Throws as `workspaceSecrets` does, and
 * `not_configured` when another ingress uses one of them too: no scheme signs the path, so that a delivery for one of the two could be sent
 * to the other.
 */
export function ingressKeys(ingress: Ingress, workspaceId: string, env: SecretEnvironment, packs: Packs): string[] {
  const keys = ownKeys(ingress, workspaceId, env)
  const twin = packs
    .flatMap((pack) => pack.ingress)
    .find((each) => each.enabled && ingressId(each) !== ingressId(ingress) && shares(each, keys, workspaceId, env))
  if (twin === undefined) return keys
  const what = ingress.verify.scheme === 'sns' ? 'topic' : 'secret'
  const cause = new DomainError(
    'not_configured',
    `${ingressId(twin)} has the same ${what}, so that a delivery for one of them would pass at the other: each needs its own`,
  )
  throw new DomainError('not_configured', 'A secret of this ingress is not its own.', {}, { cause })
}

function ownKeys({ verify }: Ingress, workspaceId: string, env: SecretEnvironment): string[] {
  if (verify.scheme !== 'sns') return workspaceSecrets(verify.secret, workspaceId, env)
  const named = verify.topic.filter((topic) => topic.startsWith('env:'))
  const written = verify.topic.filter((topic) => !topic.startsWith('env:'))
  const isDefault = workspaceId === DEFAULT_WORKSPACE_ID
  const own = isDefault && named.length === 0 ? [] : workspaceSecrets(named, workspaceId, env)
  // topics in the pack itself belong to the default workspace
  return isDefault ? [...written, ...own] : own.filter((topic) => !written.includes(topic))
}

/** An ingress without its secrets accepts nothing, so it shares nothing. */
function shares(other: Ingress, keys: readonly string[], workspaceId: string, env: SecretEnvironment): boolean {
  try {
    return ownKeys(other, workspaceId, env).some((key) => keys.includes(key))
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}
