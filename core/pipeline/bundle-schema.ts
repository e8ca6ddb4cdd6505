import { z } from 'zod'
import { Fields } from './schema.ts'

export const PipelineBundle = z
  .object({
    path: z.string(),
    digest: z.string().optional(),
    pipelines: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        description: z.string().optional(),
        inputs_schema: Fields,
        steps: z.array(
          z.object({
            id: z.string(),
            title: z.string(),
            kind: z.string(),
            needs: z.array(z.string()),
            uses: z.string().optional(),
          }),
        ),
      }),
    ),
    faults: z.array(z.string()).meta({ description: 'Why it cannot be started, with file, line and column' }),
  })
  .meta({ id: 'PipelineBundle', description: 'A bundle as it is on disk now.' })
export type PipelineBundle = z.infer<typeof PipelineBundle>
