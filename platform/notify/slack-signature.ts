import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_MS = 300_000

/**
 * Whether a request really comes from Slack: scheme v0, HMAC-SHA256 over `v0:timestamp:body` under any of the live secrets, sent
 * at most 300 seconds ago. `body` is what arrived, byte for byte.
 */
export function verifySlackSignature(
  secrets: readonly string[],
  headers: { timestamp: string | undefined; signature: string | undefined },
  body: string | Uint8Array,
  now_ms: number,
): boolean {
  const { timestamp, signature } = headers
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now_ms - Number(timestamp) * 1_000) > TOLERANCE_MS) return false
  const given = Buffer.from(signature)
  return secrets.some((secret) => {
    if (secret === '') return false
    const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')
    const expected = Buffer.from(`v0=${digest}`)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
