import { Webhook } from 'standardwebhooks'
import { DomainError } from '#core/errors.ts'

/** Signs with a Standard Webhooks secret: base64, usually behind `whsec_`. Throws `not_configured` that names the reference. */
export function webhookSigner(reference: string, secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch (cause) {
    throw new DomainError(
      'not_configured',
      `the secret ${reference} is not a Standard Webhooks secret: whsec_ and base64`,
      { reference },
      { cause },
    )
  }
}
