import type { FetchFunction } from '@slack/web-api'
import { parseForeignJson } from '#core/parse-json.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { DEPLOYMENT_NETWORK } from './deployment-network.ts'

/** The fetch of the Slack client, through the egress client: a redirect is never followed, so the token goes nowhere else. */
export function slackFetch(egress: EgressClient): FetchFunction {
  return async (url, init = {}) => {
    const answer = await egress.request({
      method: init.method ?? 'GET',
      url: String(url),
      headers: init.headers ?? {},
      ...(typeof init.body === 'string' ? { body: Buffer.from(init.body) } : {}),
      egress: DEPLOYMENT_NETWORK,
      max_redirects: 0,
      ...(init.signal === undefined ? {} : { signal: init.signal }),
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
