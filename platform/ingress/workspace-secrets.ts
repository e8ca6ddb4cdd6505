import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

/**
 * Returns the secrets that one workspace shares with a sender. The references of a pack belong to the default workspace; any other has its
 * own beside them, `env:NAME__WS_…` or `file:/path.ws_…`, so that a signature for one workspace is not valid in another. Throws `not_found`
 * where a workspace has none, `not_configured` when the default one lacks any, or when two workspaces have the same.
 */
export function workspaceSecrets(
  references: readonly string[],
  workspaceId: string,
  env: SecretEnvironment,
): [string, ...string[]] {
  const own = references.map((reference) => ownOf(reference, workspaceId))
  const isDefault = workspaceId === DEFAULT_WORKSPACE_ID
  const [first, ...more] = own.flatMap((reference) =>
    isDefault ? required(reference, env) : (settingOf(reference, env) ?? []),
  )
  if (first === undefined) {
    const cause = new Error(`none of ${own.join(', ')} is set`)
    throw new DomainError('not_found', 'there is no such ingress', {}, { cause })
  }
  const shared = references
    .flatMap((reference) => familyOf(reference, env))
    .find((other) => !own.includes(other) && [first, ...more].includes(settingOf(other, env) ?? ''))
  if (shared === undefined) return [first, ...more]
  const cause = new Error(`${shared} has the same value as ${own.join(', ')}: each workspace needs its own`)
  throw new DomainError('not_configured', 'A secret of this ingress is not set.', {}, { cause })
}

function ownOf(reference: string, workspaceId: string): string {
  if (workspaceId === DEFAULT_WORKSPACE_ID) return reference
  return reference.startsWith('env:') ? `${reference}__${workspaceId.toUpperCase()}` : `${reference}.${workspaceId}`
}

/** Returns the references beside this one, of all workspaces. */
function familyOf(reference: string, env: SecretEnvironment): string[] {
  if (reference.startsWith('env:')) {
    const beside = Object.keys(env).map((name) => `env:${name}`)
    return [reference, ...beside.filter((each) => each.startsWith(`${reference}__WS_`))]
  }
  const path = reference.slice('file:'.length)
  const beside = filesIn(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.ws_`))
  return [reference, ...beside.map((name) => `file:${join(dirname(path), name)}`)]
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function settingOf(reference: string, env: SecretEnvironment): string | undefined {
  try {
    return resolveSecret(reference, env)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

/** Strangers read the error, so it does not name the missing variable or file; its cause does. */
function required(reference: string, env: SecretEnvironment): string {
  try {
    return resolveSecret(reference, env)
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause
    throw new DomainError('not_configured', 'A secret of this ingress is not set.', {}, { cause })
  }
}
