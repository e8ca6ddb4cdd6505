import { z } from '@hono/zod-openapi'
import type { ApiContext } from './context.ts'

/** Documents are small: what people write by hand, and a little more. */
export const MAX_DOCUMENT_BYTES = 256 * 1024

/** A document as YAML, kept to the letter, or the same as JSON. */
export function documentBody<Schema extends z.ZodType>(schema: Schema, example: string) {
  const yaml = { schema: z.string().openapi({ example }) }
  return {
    // its media type selects the schema; the validator of JSON must ignore the others
    required: false,
    description: 'YAML, kept as it was written, or the same as JSON. At most 256 kB.',
    content: { 'application/json': { schema }, 'text/yaml': yaml, 'application/yaml': yaml },
  } as const
}

/** Returns the text of a document, unchanged. JSON is YAML too. */
export function documentText(c: ApiContext): string {
  const given = c.get('body_json')
  return given === undefined ? (c.get('body_text') ?? '') : `${JSON.stringify(given, null, 2)}\n`
}

/** An answer that is a record, or its document alone. */
export function documentAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema }, 'text/yaml': { schema: z.string() } } } as const
}

/** Tells whether the caller requests the text alone (`Accept: text/yaml`). */
export function wantsYaml(c: ApiContext): boolean {
  return /\b(text|application)\/yaml\b/.test(c.req.header('accept') ?? '')
}
