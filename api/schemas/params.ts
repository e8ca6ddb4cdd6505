import { z } from '@hono/zod-openapi'
import { RunId } from '#core/run/schema.ts'

export const RunParams = z.object({ id: RunId })

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
export const TemplateParams = z.object({
  pack: Name.meta({ example: 'incident' }),
  tpl: Name.meta({ example: 'service-recovery' }),
})

/** A whole number in a query: digits and nothing else, within its bounds. */
export function wholeNumber(bounds: { min: number; max: number }) {
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z.int().min(bounds.min).max(bounds.max).openapi({ type: 'integer', minimum: bounds.min, maximum: bounds.max }),
  )
}
