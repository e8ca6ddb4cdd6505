import type { YamlPosition } from './yaml-position.ts'

/** As much of JSON Schema as what is offered needs. */
export interface DocumentSchema {
  type?: string | string[]
  properties?: Record<string, DocumentSchema>
  additionalProperties?: boolean | DocumentSchema
  required?: string[]
  items?: DocumentSchema
  anyOf?: DocumentSchema[]
  enum?: unknown[]
  description?: string
}

export interface Suggestion {
  label: string
  /** the replacement of the typed text */
  insert: string
  about?: string
  is_required: boolean
}

/** Returns the possible texts at a place of a document by its schema; nothing where the schema does not restrict it. */
export function suggestYaml(schema: DocumentSchema, { keys, is_value }: YamlPosition): Suggestion[] {
  const inner = keys.reduce<DocumentSchema[]>(
    (found, key) => found.flatMap(held).flatMap((each) => memberOf(each, key)),
    [schema],
  )
  const fitting = is_value ? inner.flatMap(ways) : inner.flatMap(held)
  return [...fitting.flatMap(keysOf), ...fitting.flatMap(valuesOf)].filter(
    ({ label }, at, all) => all.findIndex((each) => each.label === label) === at,
  )

  function keysOf({ properties = {}, required = [] }: DocumentSchema): Suggestion[] {
    if (is_value) return []
    return Object.entries(properties).map(([label, { description }]) => ({
      label,
      insert: `${label}: `,
      is_required: required.includes(label),
      ...(description !== undefined && { about: description }),
    }))
  }
}

function valuesOf({ type, enum: values }: DocumentSchema): Suggestion[] {
  const listed = values ?? (type === 'boolean' ? [true, false] : [])
  return listed.map((value) => ({ label: String(value), insert: String(value), is_required: false }))
}

function memberOf({ properties, additionalProperties: others }: DocumentSchema, key: string): DocumentSchema[] {
  const named = properties?.[key] ?? others
  return typeof named === 'object' ? [named] : []
}

const ways = (schema: DocumentSchema): DocumentSchema[] => schema.anyOf?.flatMap(ways) ?? [schema]

/** Returns the schema, or that of its list's items. */
const held = (schema: DocumentSchema): DocumentSchema[] =>
  ways(schema).flatMap((each) => (each.items === undefined ? [each] : held(each.items)))
