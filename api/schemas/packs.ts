import { z } from '@hono/zod-openapi'
import { RISKS } from '#core/policy/types.ts'

export const PackTemplate = z
  .object({
    pack: z.string().meta({ example: 'sre' }),
    template: z.string().meta({ example: 'service-recovery' }),
    version: z.string().meta({ example: '1.0.0' }),
    digest: z.string().meta({ description: 'Of the pack' }),
    template_digest: z.string().meta({ description: 'Of the template; a start may ask for it' }),
    title: z.string(),
    description: z.string().optional(),
    risk: z.enum(RISKS),
    action_types: z.array(z.string()),
    capabilities: z.array(z.string()),
    inputs: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the inputs' }),
  })
  .meta({ id: 'PackTemplate', description: 'A template that can be run.' })
