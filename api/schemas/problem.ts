import { z } from '@hono/zod-openapi'

export const ProblemDocument = z
  .looseObject({
    type: z.string().meta({ example: '/problems/validation_failed' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().meta({ description: 'Stable name of the refusal', example: 'validation_failed' }),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          pointer: z.string().meta({ description: 'JSON Pointer (RFC 6901) to the field', example: '/inputs/url' }),
          loc: z.array(z.union([z.string(), z.int()])).meta({
            description: 'The part of the request (`body`, `query`, `header`), and the place in it as a list',
            example: ['body', 'inputs', 'url'],
          }),
          msg: z.string(),
          type: z.string(),
          line: z.int().optional().meta({ description: 'Line in a document, from 1' }),
          column: z.int().optional(),
        }),
      )
      .optional(),
    retry_after_s: z.number().optional(),
  })
  .meta({ id: 'Problem', description: 'A refusal, as a problem document (RFC 9457).' })
