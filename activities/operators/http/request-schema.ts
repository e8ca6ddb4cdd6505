import { z } from 'zod'
import { DeclaredCost } from '../declared-cost.ts'
import { ConnectionId, Duration, Headers, inOneOrder, JsonValue, MaxBytes } from '../field-schema.ts'
import { isPlainUrl, sentUrl } from './target.ts'

/** What `http.request` takes. */
export const HttpRequestInput = z
  .strictObject({
    method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z
      .string()
      .min(1)
      .max(8_192)
      .describe('Absolute http or https url; relative to the connection when there is one'),
    headers: Headers.exactOptional(),
    json: JsonValue.exactOptional().describe('Body, sent as application/json'),
    body: z.string().exactOptional().describe('Body, sent as it is'),
    accept_status: z
      .array(z.int().min(100).max(599))
      .min(1)
      .exactOptional()
      .describe(
        'Statuses that count as success; default every 2xx. A redirect of a GET or HEAD is followed unless its status is listed; one of any other method never is',
      ),
    accept_lost_after: Duration.exactOptional().describe(
      'At most how long to wait for an answer. If the request was sent and no usable answer came (late, cut off, larger than max_bytes), the step succeeds with status 0, lost says why, and the request is not repeated: for what a later step looks at. The timeout of the step has to be longer',
    ),
    connection: ConnectionId.exactOptional(),
    max_bytes: MaxBytes.exactOptional(),
    idempotent: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the target recognises a repetition by its Idempotency-Key; default true. With false a write is repeated only where the target has surely not acted (never connected, 429, 503 with Retry-After), and asks a person otherwise',
      ),
    cost: DeclaredCost.exactOptional().describe(
      'Price of one call of a metered API: reserved before each attempt, and charged unless it was never sent',
    ),
  })
  .refine((input) => input.json === undefined || input.body === undefined, {
    path: ['body'],
    error: 'json or body, not both',
  })
  .refine(
    (input) => !['GET', 'HEAD'].includes(input.method) || (input.json === undefined && input.body === undefined),
    {
      path: ['method'],
      error: 'a GET or HEAD request has no body',
    },
  )
  .refine((input) => input.connection !== undefined || isPlainUrl(input.url), {
    path: ['url'],
    error: 'an absolute http or https url without credentials',
  })
  .transform((input) => ({
    ...input,
    ...(input.connection === undefined ? { url: sentUrl(input.url) } : {}),
    ...(input.json === undefined ? {} : { json: inOneOrder(input.json) }),
  }))

export type HttpRequestInput = z.infer<typeof HttpRequestInput>
