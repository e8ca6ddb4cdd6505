import { z } from 'zod'

const REFERENCE = 'a secret is given as env:NAME or file:path, never as itself'
const Reference = z.string(REFERENCE).regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:\/.+)$/, REFERENCE)
/** One secret, or two during an exchange: both verify. */
const Secret = z
  .union([Reference, z.array(Reference).min(1).max(2)], 'a secret reference, or a list of at most two')
  .transform((given) => [given].flat())
const Header = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of a header')
const Topic = z
  .string()
  .regex(/^(arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_.-]+|env:[A-Za-z_][A-Za-z0-9_]*)$/, 'an ARN or env:NAME')

/** Verification of a delivery's sender. */
export const VerifySpec = z.discriminatedUnion(
  'scheme',
  [
    z.strictObject({ scheme: z.literal('standard-webhooks'), secret: Secret }),
    z.strictObject({ scheme: z.literal('svix'), secret: Secret }),
    z.strictObject({ scheme: z.literal('github'), secret: Secret }),
    z.strictObject({ scheme: z.literal('stripe'), secret: Secret }),
    z.strictObject({ scheme: z.literal('slack'), secret: Secret }),
    z.strictObject({ scheme: z.literal('pagerduty'), secret: Secret }),
    z.strictObject({
      scheme: z.literal('grafana'),
      secret: Secret,
      header: Header.default('X-Grafana-Alerting-Signature'),
      timestamp_header: Header.optional(),
    }),
    z.strictObject({
      scheme: z.literal('sns'),
      topic: z.union([Topic, z.array(Topic).min(1).max(20)]).transform((given) => [given].flat()),
    }),
    z.strictObject({
      scheme: z.literal('hmac'),
      secret: Secret,
      header: Header,
      algorithm: z.enum(['sha1', 'sha256', 'sha512'], 'takes sha1, sha256 or sha512').default('sha256'),
      encoding: z.enum(['hex', 'base64', 'base64url'], 'takes hex, base64 or base64url').default('hex'),
      template: z.string().min(1).max(200).default('{body}'),
      prefix: z.string().max(50).default(''),
      timestamp_header: Header.optional(),
      id_header: Header.optional(),
    }),
    z.strictObject({ scheme: z.literal('bearer'), secret: Secret, id_header: Header.optional() }),
  ],
  'the scheme is one of standard-webhooks, svix, github, stripe, slack, pagerduty, grafana, sns, hmac, bearer',
)
export type VerifySpec = z.output<typeof VerifySpec>
