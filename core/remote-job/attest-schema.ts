import { z } from 'zod'
import type { Json } from '../json/json.ts'

/** The public key of a worker: Ed25519, as `openssl pkey -pubout` prints it between its first and its last line. */
export const AttestKey = z
  .string()
  .regex(
    /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/,
    'an Ed25519 public key: the middle line that openssl pkey -pubout prints',
  )

/** What a worker returns that signs: its result as JSON text, so that both sides hash the same bytes. */
const SignedResult = z.strictObject({
  result: z.string(),
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
})
export type SignedResult = z.infer<typeof SignedResult>

export function signedResultOf(given: Json): SignedResult | undefined {
  return SignedResult.safeParse(given).data
}
