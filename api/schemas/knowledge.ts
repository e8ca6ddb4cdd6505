import { z } from '@hono/zod-openapi'
import { CorpusId } from '#core/knowledge/schema.ts'

export const CorpusParams = z.object({ id: CorpusId })
