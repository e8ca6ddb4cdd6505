import { z } from 'zod'
import { RunId } from './schema.ts'

export const Artifact = z
  .object({
    id: z.string(),
    run_id: RunId,
    step: z.string(),
    name: z.string().meta({ example: 'report.md' }),
    media_type: z.string().meta({ example: 'text/markdown' }),
    size_bytes: z.int().min(0),
    digest: z.string().meta({ description: '`sha256:` and lower-case hex of the content' }),
    created_at: z.iso.datetime(),
    links: z.object({ download: z.string() }),
  })
  .meta({ id: 'Artifact', description: 'A file that a run left behind.' })
export type Artifact = z.infer<typeof Artifact>
