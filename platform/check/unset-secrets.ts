import type { Environment } from '#core/environment/environment.ts'
import { storedConnection } from '#core/environment/schema.ts'
import { DomainError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import type { Model } from '#core/models/model.ts'
import { ingressProblems } from '#platform/ingress/ingress-problems.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

interface SecretUsers {
  channels: readonly Channel[]
  environments: readonly Environment[]
  /** whose signed ingress is checked */
  packs: readonly { ingress: readonly Ingress[] }[]
}

/**
 * Lists channels, connections and signed ingress whose secrets are not set here: they fail closed. A machine that only checks files does
 * not need them.
 */
export function unsetSecrets({ channels, environments, packs }: SecretUsers, env: SecretEnvironment): FileFault[] {
  const ofChannels = channels.flatMap((channel) =>
    channel.secrets.flatMap((reference) => {
      const why = whyNot(() => channel.checkSecret(reference, resolveSecret(reference, env)))
      const message = `the channel ${channel.name} sends nothing: ${why}`
      return why === undefined ? [] : [{ file: 'channels.yaml', message, warning: true }]
    }),
  )
  const ofConnections = environments.flatMap(({ name, connections }) =>
    Object.entries(connections).flatMap(([id, { url }]) => {
      if (storedConnection(url) !== undefined) return []
      const why = whyNot(() => resolveSecret(url, env))
      const message = `the connection ${id} cannot be used: ${why}`
      return why === undefined ? [] : [{ file: `environments/${name}.yaml`, message, warning: true }]
    }),
  )
  const ofIngress = ingressProblems(packs, DEFAULT_WORKSPACE_ID, env).map(({ ingress, message, ...place }) => ({
    ...place,
    message: `the ingress ${ingress} lets nothing in: ${message}`,
    warning: true,
  }))
  return [...ofChannels, ...ofConnections, ...ofIngress]
}

/** Tells whether a file of the deployment names this variable as a secret, also as that of one workspace. */
export function isNamedSecret(
  { channels, environments, models, packs }: SecretUsers & { models: readonly Model[] },
  name: string,
): boolean {
  const references = [
    ...channels.flatMap(({ secrets }) => secrets),
    ...environments.flatMap(({ connections }) => Object.values(connections).map(({ url }) => url)),
    ...models.flatMap(({ key }) => key ?? []),
    ...packs.flatMap(({ ingress }) =>
      ingress.flatMap(({ verify }) => (verify.scheme === 'sns' ? verify.topic : verify.secret)),
    ),
  ]
  return references.some((reference) => `env:${name}` === reference || name.startsWith(`${reference.slice(4)}__WS_`))
}

function whyNot(resolve: () => unknown): string | undefined {
  try {
    resolve()
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
