import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { findIngress } from '#core/ingress/find-ingress.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import type { Proof, SignedDelivery } from './signed-delivery.ts'
import { createSnsCertificates, type SnsCertificates } from './sns-certificates.ts'
import { verifyStandardWebhook } from './standard-webhooks.ts'
import {
  verifyBearer,
  verifyGithub,
  verifyGrafana,
  verifyOwnHmac,
  verifyPagerduty,
  verifySlack,
  verifyStripe,
} from './verify-hmac.ts'
import { verifySns } from './verify-sns.ts'
import { workspaceSecrets } from './workspace-secrets.ts'

/** A delivery that came from whom it says. */
export interface OpenedDelivery {
  ingress: Ingress
  proof: Proof
}

/** Where signed webhooks arrive. */
export interface IngressDoor {
  /** the ingress of this name, unless it is unknown or disabled */
  find(pack: string, name: string): Ingress | undefined
  /**
   * Opens a delivery with what its workspace shares with the sender. Throws `unauthenticated`, `not_found` when the workspace
   * shares nothing, `not_configured` when a secret is missing, `dependency_unavailable`.
   */
  open(ingress: Ingress, delivery: SignedDelivery, workspaceId: string): Promise<OpenedDelivery>
}

export interface IngressDoorOptions {
  packs: Pick<PackRegistry, 'list'>
  /** the variables that secret references name */
  env: SecretEnvironment
  egress: Pick<EgressClient, 'request'>
  now: () => number
}

/** Verifies deliveries by the scheme that their pack declares; without its secrets nothing passes. */
export function createIngressDoor({ packs, env, egress, now }: IngressDoorOptions): IngressDoor {
  const certificates = createSnsCertificates(egress, now)
  return {
    find: (pack, name) => findIngress(packs.list(), pack, name),
    async open(ingress, delivery, workspace_id) {
      const proof = await verifyDelivery(ingress, delivery, { workspace_id, env, certificates, now_ms: now() })
      if (proof !== undefined) return { ingress, proof }
      throw new DomainError('unauthenticated', 'The signature is not that of this ingress, or it is too old.')
    },
  }
}

interface Surroundings {
  workspace_id: string
  env: SecretEnvironment
  certificates: SnsCertificates
  now_ms: number
}

async function verifyDelivery(
  { verify }: Ingress,
  delivery: SignedDelivery,
  { workspace_id, env, certificates, now_ms }: Surroundings,
): Promise<Proof | undefined> {
  if (verify.scheme === 'sns') {
    const named = verify.topic.filter((topic) => topic.startsWith('env:'))
    const written = verify.topic.filter((topic) => !topic.startsWith('env:'))
    const isDefault = workspace_id === DEFAULT_WORKSPACE_ID
    const own = isDefault && named.length === 0 ? [] : workspaceSecrets(named, workspace_id, env)
    // what the pack itself says is the default workspace's
    const topics = isDefault ? [...written, ...own] : own.filter((topic) => !written.includes(topic))
    return await verifySns(topics, delivery, certificates, now_ms)
  }
  const secrets = workspaceSecrets(verify.secret, workspace_id, env)
  switch (verify.scheme) {
    case 'standard-webhooks':
      return verifyStandardWebhook('webhook', secrets, delivery, now_ms)
    case 'svix':
      return verifyStandardWebhook('svix', secrets, delivery, now_ms)
    case 'github':
      return verifyGithub(secrets, delivery)
    case 'stripe':
      return verifyStripe(secrets, delivery, now_ms)
    case 'slack':
      return verifySlack(secrets, delivery, now_ms)
    case 'pagerduty':
      return verifyPagerduty(secrets, delivery)
    case 'grafana':
      return verifyGrafana(verify, secrets, delivery, now_ms)
    case 'hmac':
      return verifyOwnHmac(verify, secrets, delivery, now_ms)
    case 'bearer':
      return verifyBearer(verify, secrets, delivery)
  }
}
