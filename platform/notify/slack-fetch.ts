import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FetchFunction } from '@slack/web-api'
import { parseForeignJson } from '#core/json/parse-json.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { DEPLOYMENT_NETWORK } from './channel-settings.ts'

const TOLERANCE_MS = 300_000

/**
 * Tells whether a request really comes from Slack: scheme v0, HMAC-SHA256 over `v0:timestamp:body` under any of the live secrets, sent at
 * most 300 seconds ago. `body` is the received text, byte for byte.
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

/** The fetch of the Slack client, through the egress client: a redirect is never followed, so the token reaches no other host. */
export function slackFetch(egress: EgressClient): FetchFunction {
  return async (url, init = {}) => {
    const answer = await egress.request({
      method: init.method ?? 'GET',
      url: String(url),
      headers: init.headers ?? {},
      ...(typeof init.body === 'string' ? { body: Buffer.from(init.body) } : {}),
      egress: DEPLOYMENT_NETWORK,
      max_redirects: 0,
      ...(init.signal !== undefined && { signal: init.signal }),
    })
    const text = answer.body.toString('utf8')
    return {
      ok: answer.status >= 200 && answer.status < 300,
      status: answer.status,
      statusText: '',
      url: String(url),
      headers: new Headers(answer.headers),
      arrayBuffer: async () => new Uint8Array(answer.body).buffer,
      json: async (): Promise<unknown> => parseForeignJson(text),
      text: async () => text,
    }
  }
}
