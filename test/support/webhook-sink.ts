import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CloudEvent, HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'

export interface ReceivedWebhook {
  path: string
  headers: Record<string, string>
  body: string
  /** by the official library; false: the signature is of somebody else */
  verified: boolean
  /** undefined when the body is none */
  event: CloudEvent<unknown> | undefined
}

export interface WebhookAnswer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** A receiver of Standard Webhooks on a port of its own: verifies, parses, and answers what it is told to. */
export async function startWebhookSink(secret: string) {
  const received: ReceivedWebhook[] = []
  let answers: (WebhookAnswer | 'hang up' | 'silence')[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const headers: Record<string, string> = {}
      for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value)
      received.push({
        path: request.url ?? '',
        headers,
        body,
        verified: isVerified(secret, body, headers),
        event: parseEvent(headers, body),
      })
      const answer = answers.shift() ?? { status: 204 }
      if (answer === 'hang up') request.socket.destroy()
      else if (answer !== 'silence') response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/svc`,
    received,
    /** what the next requests are answered; then 204 again */
    answer(...next: typeof answers): void {
      answers = next
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function isVerified(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

function parseEvent(headers: Record<string, string>, body: string): CloudEvent<unknown> | undefined {
  try {
    const event = HTTP.toEvent<unknown>({ headers, body })
    return Array.isArray(event) ? undefined : (event as CloudEvent<unknown>)
  } catch {
    return undefined
  }
}
