import { isObject } from '#core/json/json.ts'

/** A value that fits a plain JSON Schema: the first of an enum, the shortest text, the smallest number. */
export function fittingValue(schema: unknown): unknown {
  if (!isObject(schema)) return null
  if ('const' in schema) return schema['const']
  const [first] = listOf(schema['enum'])
  if (first !== undefined) return first
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, each]) => [
          name,
          fittingValue(each),
        ]),
      )
    case 'array':
      return Array.from({ length: numberOf(schema['minItems'], 0) }, () => fittingValue(schema['items']))
    case 'string':
      return 'x'.repeat(Math.max(1, numberOf(schema['minLength'], 1)))
    case 'number':
    case 'integer':
      return numberOf(schema['minimum'], 0)
    case 'boolean':
      return true
    default:
      return null
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
