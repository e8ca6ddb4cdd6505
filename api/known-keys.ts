import { z } from '@hono/zod-openapi'

/** The names that an object of a schema may have at a path; none where it is no object, or takes any. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<unknown>((each, part) => inside(each, part), schema)
  const object = unwrapped(at)
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

function inside(schema: unknown, part: PropertyKey): unknown {
  const outer = unwrapped(schema)
  if (outer instanceof z.ZodObject) return outer.shape[String(part)]
  if (outer instanceof z.ZodArray) return outer.element
  return outer instanceof z.ZodRecord ? outer.valueType : undefined
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema
}
