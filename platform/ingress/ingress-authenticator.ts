import { DomainError } from '#core/errors.ts'
import { findIngress, type Ingress } from '#core/ingress/ingress.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import { ingressKeys } from './ingress-keys.ts'
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

/** A verified delivery. */
export interface OpenedDelivery {
  ingress: Ingress
  proof: Proof
}

/** Verifies signed webhooks. */
export interface IngressAuthenticator {
  /** the ingress of this name, unless it is unknown or disabled */
  find(pack: string, name: string): Ingress | undefined
  /**
   * Opens a delivery with what its workspace shares with the sender. Throws `unauthenticated`, `not_found` when the workspace
   * shares nothing, `not_configured` when a secret is missing or not its own, `dependency_unavailable`.
   */
  open(ingress: Ingress, delivery: SignedDelivery, workspaceId: string): Promise<OpenedDelivery>
}

export interface IngressAuthenticatorOptions {
  packs: Pick<PackRegistry, 'list'>
  /** the variables that secret references name */
  env: SecretEnvironment
  egress: Pick<EgressClient, 'request'>
  now: () => number
}

/** Verifies deliveries by the scheme that their pack declares; without its secrets nothing passes. */
export function createIngressAuthenticator({
  packs,
  env,
  egress,
  now,
}: IngressAuthenticatorOptions): IngressAuthenticator {
  const certificates = createSnsCertificates(egress, now)
  return {
    find: (pack, name) => findIngress(packs.list(), pack, name),
    async open(ingress, delivery, workspace_id) {
      const keys = ingressKeys(ingress, workspace_id, env, packs.list())
      const proof = await verifyDelivery(ingress, delivery, { keys, certificates, now_ms: now() })
      if (proof !== undefined) return { ingress, proof }
      throw new DomainError('unauthenticated', 'The signature is not that of this ingress, or it is too old.')
    },
  }
}

interface Surroundings {
  keys: string[]
  certificates: SnsCertificates
  now_ms: number
}

async function verifyDelivery(
  { verify }: Ingress,
  delivery: SignedDelivery,
  { keys, certificates, now_ms }: Surroundings,
): Promise<Proof | undefined> {
  if (verify.scheme === 'sns') return await verifySns(keys, delivery, certificates, now_ms)
  switch (verify.scheme) {
    case 'standard-webhooks':
      return verifyStandardWebhook('webhook', keys, delivery, now_ms)
    case 'svix':
      return verifyStandardWebhook('svix', keys, delivery, now_ms)
    case 'github':
      return verifyGithub(keys, delivery)
    case 'stripe':
      return verifyStripe(keys, delivery, now_ms)
    case 'slack':
      return verifySlack(keys, delivery, now_ms)
    case 'pagerduty':
      return verifyPagerduty(keys, delivery)
    case 'grafana':
      return verifyGrafana(verify, keys, delivery, now_ms)
    case 'hmac':
      return verifyOwnHmac(verify, keys, delivery, now_ms)
    case 'bearer':
      return verifyBearer(verify, keys, delivery)
  }
}
