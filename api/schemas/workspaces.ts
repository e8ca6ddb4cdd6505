import { z } from '@hono/zod-openapi'
import { WorkspaceId } from '#core/workspace/schema.ts'

export const WorkspaceParams = z.object({ id: WorkspaceId })

/** The record as it must still stand for the change to happen. */
export const IfMatch = z.object({
  'if-match': z
    .string()
    .regex(/^(\*|"[\x21\x23-\x7e]*"(, *"[\x21\x23-\x7e]*")*)$/, 'must be `*` or entity tags in quotes')
    .max(200)
    .optional()
    .meta({ description: 'Entity tag of the record as the caller knows it (RFC 9110)', example: '"3"' }),
})

export const ETAG = {
  ETag: { description: 'Changes with the record; for `If-Match`', schema: { type: 'string' } },
} as const
