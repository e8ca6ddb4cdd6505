import type { SendResult } from '#core/notify/types.ts'
import { OperatorError } from '#core/operator.ts'
import type { ChannelPorts } from './channel-kind.ts'
import { DEPLOYMENT_NETWORK } from './channel-settings.ts'

const MAX_ANSWER_BYTES = 64 * 1024

/** One attempt to post a notice, and whether another one is worth it. A redirect is an answer, not an instruction. */
export async function postNotice(
  ports: ChannelPorts,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
): Promise<SendResult> {
  const { host } = new URL(url)
  try {
    const answer = await ports.egress.request({
      method: 'POST',
      url,
      headers,
      body: Buffer.from(body),
      egress: DEPLOYMENT_NETWORK,
      max_redirects: 0,
      max_bytes: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(ports.timeout_ms),
    })
    return judge(host, answer.status, answer.retry_after_ms)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const status = error.code === 'response_too_large' ? error.details?.status : undefined
    if (typeof status === 'number') return judge(host, status, undefined)
    return { ok: false, retryable: error.retryable, detail: `${host} cannot be reached (${error.code})` }
  }
}

function judge(host: string, status: number, retry_after_ms: number | undefined): SendResult {
  if (status >= 200 && status < 300) return { ok: true }
  const isRedirect = status >= 300 && status < 400
  return {
    ok: false,
    retryable: status >= 500 || status === 408 || status === 429,
    detail: `${host} answered ${status}${isRedirect ? '; redirects are not followed' : ''}`,
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  }
}
