import { isSecretName } from '../egress/url.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { keptHeaders } from '../inbox/kept-headers.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { Ingress } from './ingress.ts'

/** The variables of an ingress's expressions. */
export interface DeliveryScope extends JsonObject {
  body: Json
  headers: { [name: string]: string }
}

type Reading = Pick<Ingress, 'verify' | 'when' | 'normalize'>

/**
 * Returns the headers that expressions see, by lower-case name: those that the inbox keeps and those that an expression names, so that a
 * delivery looks the same whenever it is processed. Headers that prove the sender are left out.
 */
export function ingressHeaders(ingress: Reading, headers: Iterable<[string, string]>): Record<string, string> {
  const proof = 'header' in ingress.verify ? ingress.verify.header.toLowerCase() : undefined
  const all = new Map(Array.from(headers, ([name, value]): [string, string] => [name.toLowerCase(), value]))
  if (proof !== undefined) all.delete(proof)
  const named = namesIn(expressionsOf(ingress))
  const wanted = [...all].filter(([name]) => named.has(name) && !isSecretName(name))
  return { ...keptHeaders((name) => all.get(name)), ...Object.fromEntries(wanted) }
}

function expressionsOf({ when, normalize: { labels, annotations, ...fields } }: Reading): string[] {
  return [when, ...Object.values(fields), ...Object.values(labels), ...Object.values(annotations)].filter(
    (text) => text !== undefined,
  )
}

/** `headers.name`, and every quoted text: `headers["name"]` and `"name" in headers` among them. */
function namesIn(expressions: readonly string[]): Set<string> {
  return new Set(
    expressions.flatMap((text) => [
      ...compileExpression(text).references.flatMap(({ path: [variable, member] }) =>
        variable === 'headers' && member !== undefined ? [member] : [],
      ),
      ...Array.from(text.matchAll(/"([^"]*)"|'([^']*)'/g), ([, double, single]) => double ?? single ?? ''),
    ]),
  )
}
