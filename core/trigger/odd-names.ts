import { isObject } from '../json.ts'

/// <reference lib="es2024.string" />

/** Where the payloads of alerting tools have names and texts that people made up. */
const NAMED = ['labels', 'annotations', 'values', 'commonLabels', 'commonAnnotations', 'groupLabels'] as const

/**
 * The payload with names that no JSON object can hold safely in quotes, and with what cannot be stored as text (U+0000, half a
 * surrogate pair) written out: one odd label of one alert must not refuse its whole group. The rest stays as it is.
 */
export function quoteOddNames(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(ofAlert)
  if (!isObject(body)) return body
  const alerts = body['alerts']
  const outer = ofAlert(body)
  return Array.isArray(alerts) && isObject(outer) ? { ...outer, alerts: alerts.map(ofAlert) } : outer
}

function ofAlert(alert: unknown): unknown {
  if (!isObject(alert)) return alert
  const odd = NAMED.filter((member) => isOdd(alert[member]))
  return odd.length === 0
    ? alert
    : { ...alert, ...Object.fromEntries(odd.map((member) => [member, quoted(alert[member])])) }
}

function isOdd(names: unknown): boolean {
  return (
    isObject(names) &&
    Object.entries(names).some(
      ([name, value]) =>
        name === '__proto__' || isUnstorable(name) || (typeof value === 'string' && isUnstorable(value)),
    )
  )
}

function quoted(names: unknown): unknown {
  if (!isObject(names)) return names
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => [
      name === '__proto__' ? '"__proto__"' : storable(name),
      typeof value === 'string' ? storable(value) : value,
    ]),
  )
}

function isUnstorable(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed()
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\\u0000')
}
