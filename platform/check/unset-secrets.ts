import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { FileFault } from '#core/file-fault.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
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

function whyNot(resolve: () => unknown): string | undefined {
  try {
    resolve()
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
