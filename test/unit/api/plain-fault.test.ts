import { expect, it } from 'vitest'
import { z } from 'zod'
import { pageSize } from '#api/schemas/params.ts'
import { validationError } from '#api/to-domain-error.ts'

function reported(target: string, schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value)
  return validationError(target, error?.issues ?? [], { schema }).message
}

it.each(['abc', '0', '201', '-1', '1.5', ''])('says of the limit %j what it takes', (limit) => {
  const query = z.object({ limit: pageSize(200, 50) })
  expect(reported('query', query, { limit })).toBe('limit must be a whole number from 1 to 200')
})

it.each([
  [z.object({ a: z.string() }), {}, 'body /a: is missing'],
  [z.object({ a: z.string() }), { a: 1 }, 'body /a: must be text'],
  [z.object({ a: z.number() }), { a: 'x' }, 'body /a: must be a number'],
  [z.object({ a: z.boolean() }), { a: 'x' }, 'body /a: must be true or false'],
  [z.object({ a: z.array(z.string()) }), { a: 'x' }, 'body /a: must be a list'],
  [z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, 'body /a: must be one of x, y'],
  [z.object({ a: z.string().min(3) }), { a: 'z' }, 'body /a: must have at least 3 characters'],
  [z.object({ a: z.string().max(1) }), { a: 'zz' }, 'body /a: must have at most 1 character'],
  [z.object({ a: z.array(z.int()).max(1) }), { a: [1, 2] }, 'body /a: must have at most 1 item'],
  [z.object({ a: z.number().max(4) }), { a: 5 }, 'body /a: must be at most 4'],
  [z.object({ a: z.string().regex(/^x$/) }), { a: 'y' }, 'body /a: is not of the right form'],
  [z.object({ a: z.email() }), { a: 'y' }, 'body /a: is not a valid email'],
  [z.object({ a: z.object({ b: z.string() }) }), { a: { b: 1 } }, 'body /a/b: must be text'],
  [z.strictObject({ a: z.int() }), { a: 1, c: 2 }, 'The body takes no "c"'],
  [
    z.strictObject({ environment: z.int().optional() }),
    { enviroment: 1 },
    'The body takes no "enviroment"; did you mean "environment"?',
  ],
  [
    z.object({ a: z.array(z.strictObject({ url: z.int() }).partial()).optional() }),
    { a: [{ ulr: 1 }] },
    'body /a/0: takes no "ulr"; did you mean "url"?',
  ],
  [z.object({}), 1, 'The body must be an object'],
  [z.object({ a: z.int(), b: z.int() }), {}, 'body /a: is missing (and 1 more)'],
])('tells what is wrong in plain words: %#', (schema, value, message) => {
  expect(reported('json', schema, value)).toBe(message)
})

it('keeps the words that a schema has of its own', () => {
  const query = z.object({
    since: z.string().refine(() => false, { error: 'must be a time, such as 2026-01-31T12:00:00Z' }),
  })
  expect(reported('query', query, { since: 'x' })).toBe('since must be a time, such as 2026-01-31T12:00:00Z')
})
