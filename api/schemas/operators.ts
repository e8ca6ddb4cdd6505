import { z } from '@hono/zod-openapi'
import { RISKS } from '#core/policy/types.ts'

export const OperatorShown = z
  .object({
    id: z.string(),
    version: z.int(),
    title: z.string(),
    risk: z.enum(RISKS),
    action_type: z.string().meta({ description: '`read` acts on nothing; an input may make it another one' }),
    capabilities: z.array(z.string()),
    requires_approval: z.boolean().meta({ description: 'It turns the gate on wherever it is used' }),
    input_schema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema (2020-12) of a step’s `with`' }),
    simulates: z
      .boolean()
      .meta({ description: 'It can tell what it would do. Otherwise a required dry run asks a person' }),
  })
  .meta({
    id: 'Operator',
    description: 'A kind of work that steps are made of.',
    example: {
      id: 'core.wait',
      version: 1,
      title: 'Wait',
      risk: 'low',
      action_type: 'read',
      capabilities: [],
      requires_approval: false,
      input_schema: { type: 'object', required: ['for'], properties: { for: { type: 'string' } } },
      simulates: false,
    },
  })
