import { isObject, type Json, type JsonObject } from '../json.ts'
import { jsonPointer } from '../plan/fault.ts'

/** What a subschema declares of its own instance, wherever it is written. */
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['if', 'then', 'else'] as const
/** Keywords whose instances have no fixed place: a secret among them makes the whole value one. */
const PLACELESS = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
] as const

/**
 * JSON Pointers of the inputs that a JSON Schema declares secret: `writeOnly: true`, `format: password` or the form keyword
 * `secret: true`. A secret inside a list or under a free name makes the whole list or object secret.
 */
export function secretPaths(schema: JsonObject): string[] {
  const found = new Set<string>()
  visit({ root: schema, found }, schema, [], [])
  return [...found].sort()
}

interface Search {
  root: JsonObject
  found: Set<string>
}

/** Finds what is secret in `schema`; `seen` ends references that go round. */
function visit({ root, found }: Search, schema: Json | undefined, path: string[], seen: Json[]): void {
  if (!isObject(schema) || seen.includes(schema)) return
  const onWay = [...seen, schema]
  if (path.length > 0 && isDeclaredSecret(schema)) {
    found.add(jsonPointer(path))
    return
  }
  for (const same of sameInstance(root, schema)) visit({ root, found }, same, path, onWay)
  for (const [name, child] of members(schema['properties'])) visit({ root, found }, child, [...path, name], onWay)
  const hidden = new Set<string>()
  for (const child of placeless(schema)) visit({ root, found: hidden }, child, [...path, '*'], onWay)
  if (hidden.size > 0 && path.length > 0) found.add(jsonPointer(path))
}

function isDeclaredSecret(schema: JsonObject): boolean {
  const ui = schema['ui']
  return (
    schema['writeOnly'] === true ||
    schema['format'] === 'password' ||
    schema['secret'] === true ||
    (isObject(ui) && ui['secret'] === true)
  )
}

/** Subschemas that speak of the same value. */
function sameInstance(root: JsonObject, schema: JsonObject): Json[] {
  const reference = schema['$ref']
  return [
    ...(typeof reference === 'string' ? [resolved(root, reference)] : []),
    ...ALTERNATIVES.flatMap((keyword) => list(schema[keyword])),
    ...BRANCHES.flatMap((keyword) => schema[keyword] ?? []),
    ...members(schema['dependentSchemas']).map(([, child]) => child),
  ].filter((each) => each !== undefined)
}

function placeless(schema: JsonObject): Json[] {
  return [
    ...PLACELESS.flatMap((keyword) => schema[keyword] ?? []),
    ...list(schema['prefixItems']),
    ...members(schema['patternProperties']).map(([, child]) => child),
  ]
}

/** What a reference into the same document (RFC 6901 in a fragment) names. */
function resolved(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  let at: Json | undefined = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined
  }
  return at
}

function members(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : []
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}
