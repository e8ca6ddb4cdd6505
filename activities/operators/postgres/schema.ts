import { z } from 'zod'
import { ConnectionId, Duration, inOneOrder, JsonValue } from '../field-schema.ts'

/** The protocol ends every text there: the server would read less than people were shown. */
const NUL = 'PostgreSQL takes no NUL character'

function hasNoNul(text: string): boolean {
  return !text.includes('\u0000')
}

const fields = {
  connection: ConnectionId,
  sql: z
    .string()
    .min(1)
    .max(100_000)
    .refine(hasNoNul, NUL)
    .describe('One statement; values go into params as $1, $2, …'),
  params: z
    .array(JsonValue.refine((value) => typeof value !== 'string' || hasNoNul(value), NUL).transform(inOneOrder))
    .max(1_000)
    .exactOptional(),
}

/** What `postgres.query` takes. */
export const PostgresQueryInput = z.strictObject({
  ...fields,
  statement_timeout: Duration.exactOptional().describe('Default 30s'),
  lock_timeout: Duration.exactOptional().describe('Default 5s'),
  role: z.string().min(1).exactOptional().describe('Role to read as; the connection must be a member of it'),
})
export type PostgresQueryInput = z.infer<typeof PostgresQueryInput>

/** What `postgres.execute` takes. */
export const PostgresExecuteInput = z.strictObject({
  ...fields,
  statement_timeout: Duration.exactOptional().describe('Default 60s'),
  lock_timeout: Duration.exactOptional().describe('How long to queue for a lock; default 5s'),
  transaction: z
    .boolean()
    .exactOptional()
    .describe('Default true; false for what refuses to run in one (VACUUM, CREATE INDEX CONCURRENTLY)'),
  note: z
    .string()
    .min(1)
    .max(300)
    .exactOptional()
    .describe('What the template tells the approvers, such as size and expected time; nothing of it is sent'),
})
export type PostgresExecuteInput = z.infer<typeof PostgresExecuteInput>
