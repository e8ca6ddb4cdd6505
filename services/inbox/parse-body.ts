import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'

const MOST_ERRORS = 100

/** The body of a delivery as its route takes it. Throws `validation_failed` with every violated field, up to a hundred. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.slice(0, MOST_ERRORS).map(({ path, message, code }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    loc: ['body', ...path.map((part) => (typeof part === 'number' ? part : String(part)))],
    msg: message,
    type: code,
  }))
  throw new DomainError('validation_failed', `The body of the delivery: ${errors[0]?.pointer} ${errors[0]?.msg}`, {
    errors,
  })
}
