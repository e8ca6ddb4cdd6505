import { DomainError } from '#core/errors.ts'
import { isObject, type Json } from '#core/json/json.ts'
import { parseDelivery, storableJson } from '#core/json/storable-json.ts'
import type { OpenedDelivery } from '#platform/ingress/ingress-authenticator.ts'
import type { ApiContext } from './context.ts'

const MAX_FIELDS = 1_000

/** Returns the payload of a signed delivery, and its text if the stored body differs from the sent one. */
export function ingressBody(
  c: ApiContext,
  { ingress, proof: { signed } }: OpenedDelivery,
): { body: Json; text?: string } {
  const read = payloadOf(c, signed)
  // GitHub's default content type wraps the JSON in a form
  const wrapped = ingress.verify.scheme === 'github' && isObject(read) && isObject(read['payload']) && isForm(c)
  const body = wrapped ? (read['payload'] ?? read) : read
  // for a form or a message of SNS, the parsed content is stored, which leaves out its signature
  return body === c.get('body_json') ? { body } : { body, text: JSON.stringify(body) }
}

/**
 * The payload of a signed delivery as expressions see it: its JSON; the fields of a form, with `payload` read as JSON; of SNS
 * the signed members alone, with `Message` read as JSON where it is.
 */
function payloadOf(c: ApiContext, signed: Record<string, string> | undefined): Json {
  if (signed !== undefined) return withJson(signed, 'Message')
  const refusal = c.get('body_refusal')
  if (refusal !== undefined) throw refusal
  const json = c.get('body_json')
  if (json !== undefined) return json as Json
  if (!isForm(c))
    throw new DomainError(
      'unsupported_media_type',
      'A delivery is JSON or a form: set the content type of the webhook to application/json.',
    )
  return withJson(formOf(c.get('body_text') ?? ''), 'payload')
}

function isForm(c: ApiContext): boolean {
  const media = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  return media === 'application/x-www-form-urlencoded'
}

function formOf(text: string): Record<string, string> {
  let signs = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) signs += 1
  if (signs >= MAX_FIELDS) throw new DomainError('malformed_body', `The form has more than ${MAX_FIELDS} fields.`)
  return Object.fromEntries(new URLSearchParams(text))
}

function withJson(fields: Record<string, string>, name: string): Json {
  const value = parsed(fields[name])
  const kept = storableJson(fields)
  return value === undefined ? kept : { ...kept, [name]: value as Json }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseDelivery(text)
  } catch {
    return undefined
  }
}
