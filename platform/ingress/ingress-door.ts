import { DomainError } from '#core/errors.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
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

/** A delivery that came from whom it says. */
export interface OpenedDelivery {
  ingress: Ingress
  proof: Proof
}

/** Where signed webhooks arrive. */
export interface IngressDoor {
  /** the ingress of this name, unless it is unknown or disabled */
  find(pack: string, name: string): Ingress | undefined
  /** Throws `unauthenticated`, `not_configured` when a secret is missing, `dependency_unavailable`. */
  open(ingress: Ingress, delivery: SignedDelivery): Promise<OpenedDelivery>
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
    find(pack, name) {
      const found = packs
        .list()
        .find((each) => each.name === pack)
        ?.ingress.find((each) => each.name === name)
      return found?.enabled === true ? found : undefined
    },
    async open(ingress, delivery) {
      const proof = await verifyDelivery(ingress, delivery, { env, certificates, now_ms: now() })
      if (proof !== undefined) return { ingress, proof }
      throw new DomainError('unauthenticated', 'The signature is not that of this ingress, or it is too old.')
    },
  }
}

interface Surroundings {
  env: SecretEnvironment
  certificates: SnsCertificates
  now_ms: number
}

async function verifyDelivery(
  { verify }: Ingress,
  delivery: SignedDelivery,
  { env, certificates, now_ms }: Surroundings,
): Promise<Proof | undefined> {
  if (verify.scheme === 'sns') {
    const topics = verify.topic.map((topic) => (topic.startsWith('env:') ? resolve(topic, env) : topic))
    return await verifySns(topics, delivery, certificates, now_ms)
  }
  const secrets = verify.secret.map((reference) => resolve(reference, env))
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

/** Strangers read the refusal, so it does not say which variable or file is missing; the cause does. */
function resolve(reference: string, env: SecretEnvironment): string {
  try {
    return resolveSecret(reference, env)
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause
    throw new DomainError('not_configured', 'A secret of this ingress is not set.', {}, { cause })
  }
}
