import { isObject, type Json, type JsonObject, jsonPointer, pointerParts, valueAt } from '../json/json.ts'

/** Keywords of subschemas that apply to the same instance. */
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const
const BRANCHES = ['if', 'then', 'else'] as const
/** Keywords whose instances have no fixed place: a secret among them makes the whole value secret. */
const UNADDRESSABLE = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
] as const
/** Keywords with values instead of schemas. */
const VALUES = ['default', 'const', 'enum', 'example', 'examples']

/**
 * JSON Pointers of the inputs that a JSON Schema declares secret: `writeOnly: true`, `format: password` or the form keyword
 * `secret: true`. A secret inside a list or under a free name makes the whole list or object secret.
 */
export function secretPaths(schema: JsonObject): string[] {
  return search(schema).filter((pointer) => pointer !== '')
}

/** Returns why the secret inputs of a schema cannot be determined; undefined where `secretPaths` finds all of them. */
export function whySecretsUndetermined(schema: JsonObject): string | undefined {
  const reference = unsupportedReference(schema)
  if (reference !== undefined)
    return `${reference}: refer with $ref to a place in this schema (#/$defs/…), so that its secrets are found`
  return search(schema).includes('')
    ? 'a secret needs a name: declare it under properties, or under those of an object'
    : undefined
}

function search(schema: JsonObject): string[] {
  const found = new Set<string>()
  visit({ root: schema, found }, schema, [], [])
  return [...found].sort()
}

/** The first reference that leads elsewhere than to a place in the schema, or that makes others do so. */
function unsupportedReference(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const textAt = (keyword: string) =>
    isObject(value) && typeof value[keyword] === 'string' ? value[keyword] : undefined
  const reference = textAt('$ref')
  if (reference !== undefined && reference !== '#' && !reference.startsWith('#/')) return `$ref ${reference}`
  const dynamic = textAt('$dynamicRef')
  if (dynamic !== undefined) return `$dynamicRef ${dynamic}`
  for (const [keyword, child] of Object.entries(value)) {
    const unsupported = VALUES.includes(keyword) ? undefined : unsupportedReference(child)
    if (unsupported !== undefined) return unsupported
  }
  return undefined
}

interface Search {
  root: JsonObject
  found: Set<string>
}

/** Finds what is secret in `schema`; `seen` ends references that go round. */
function visit({ root, found }: Search, schema: Json | undefined, path: string[], seen: Json[]): void {
  if (!isObject(schema) || seen.includes(schema)) return
  const onWay = [...seen, schema]
  if (isDeclaredSecret(schema)) {
    found.add(jsonPointer(path))
    if (path.length > 0) return
  }
  for (const same of sameInstance(root, schema)) visit({ root, found }, same, path, onWay)
  for (const [name, child] of members(schema['properties'])) visit({ root, found }, child, [...path, name], onWay)
  const hidden = new Set<string>()
  for (const child of unaddressable(schema)) visit({ root, found: hidden }, child, [...path, '*'], onWay)
  if (hidden.size > 0) found.add(jsonPointer(path))
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

function unaddressable(schema: JsonObject): Json[] {
  return [
    ...UNADDRESSABLE.flatMap((keyword) => schema[keyword] ?? []),
    ...list(schema['prefixItems']),
    ...members(schema['patternProperties']).map(([, child]) => child),
  ]
}

/** Resolves a reference into the same document (RFC 6901 in a fragment). */
function resolved(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  // as the validator does: an encoded slash is part of a name
  const pointer = reference.slice(1).replaceAll(/%2f/gi, '~1')
  return valueAt(root, pointerParts(decodeURIComponent(pointer)))
}

function members(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : []
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}
