import { z } from 'zod'

/** The keys that a mapping at `path` of a document may have; none where the schema leaves them free. */
export function knownKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  const keys = inside(schema, path).flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []))
  return [...new Set(keys)]
}

/** Returns the schema at `path`: several where there are alternatives. */
function inside(schema: unknown, [part, ...rest]: readonly PropertyKey[]): unknown[] {
  const found = unwrapped(schema)
  if (part === undefined) return found
  return found.flatMap((each) => {
    if (each instanceof z.ZodObject) return inside(each.shape[String(part)], rest)
    if (each instanceof z.ZodArray) return inside(each.element, rest)
    if (each instanceof z.ZodRecord) return inside(each.valueType, rest)
    return []
  })
}

/** Without what only wraps a schema. */
function unwrapped(schema: unknown): unknown[] {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrapped)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return unwrapped(schema.unwrap())
  return schema === undefined ? [] : [schema]
}
