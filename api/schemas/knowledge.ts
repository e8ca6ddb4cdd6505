import { z } from '@hono/zod-openapi'
import { MOST_DOCUMENT_BYTES } from '#core/knowledge/document-text.ts'
import { CorpusId, PassageName } from '#core/knowledge/schema.ts'
import { wholeNumber } from './params.ts'

export const CorpusParams = z.object({ id: CorpusId })

/** A passage, as a query names it. */
export const PassageQuery = PassageName.extend({
  line: wholeNumber(
    { min: 1, max: MOST_DOCUMENT_BYTES },
    { description: PassageName.shape.line.meta()?.description ?? '' },
  ).default(1),
})
