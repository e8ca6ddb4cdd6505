import type { Json, JsonObject } from '../json.ts'

/** What expressions of an ingress see. */
export interface DeliveryScope extends JsonObject {
  body: Json
  headers: { [name: string]: string }
}

const HIDDEN = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** A delivery as expressions see it: header names in lower case, and without what only proves who sent it. */
export function deliveryScope(body: Json, headers: Iterable<[string, string]>): DeliveryScope {
  const shown = Array.from(headers, ([name, value]): [string, string] => [name.toLowerCase(), value])
  return { body, headers: Object.fromEntries(shown.filter(([name]) => !HIDDEN.has(name))) }
}
