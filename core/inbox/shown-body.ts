import { HIDDEN, isSecretName } from '../egress/redact-url.ts'
import type { Json } from '../json/json.ts'
import { parseDelivery } from '../json/storable-json.ts'

/** A body as people may see it: what is named like a secret is hidden, and so is everything that is not JSON. */
export function shownBody(text: string): Json {
  try {
    return withoutSecrets(parseDelivery(text) as Json)
  } catch {
    return HIDDEN
  }
}

function withoutSecrets(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutSecrets)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecretName(name) && item !== null ? HIDDEN : withoutSecrets(item),
    ]),
  )
}
