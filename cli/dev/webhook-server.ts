import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { serveOnLoopback } from './serve-on-loopback.ts'

const Text = z.string().catch('')

/** What is shown of the event that a channel of kind webhook sends; what does not fit is left out. */
const Event = z.looseObject({
  type: z.string(),
  data: z
    .looseObject({
      template: Text,
      environment: Text,
      summary: Text,
      code: Text,
      halt: z.looseObject({ covers: Text, reason: Text }).optional().catch(undefined),
      ended: z.looseObject({ status: Text }).optional().catch(undefined),
      links: z.looseObject({ approve: Text, run: Text }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

export interface WebhookServer {
  url: string
  stop(): Promise<void>
}

/** Starts a receiver for a channel of kind webhook, and shows what arrives, a message at a time. It verifies no signature. */
export async function startWebhookServer(options: {
  port?: number
  show(lines: string[]): void
}): Promise<WebhookServer> {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const lines = request.method === 'POST' ? linesOf(body) : undefined
        if (lines !== undefined) options.show(lines)
        response.writeHead(lines === undefined ? 400 : 204).end()
      },
      () => response.destroy(),
    )
  })
  const { url, stop } = await serveOnLoopback(server, options.port)
  return { url: `${url}/`, stop }
}

/** Undefined for what is no event. */
function linesOf(body: string): string[] | undefined {
  const event = Event.safeParse(foreignJsonIn(body))
  if (!event.success) return undefined
  const { type, data } = event.data
  const { template = '', environment = '', summary = '', code = '', links, ended, halt } = data ?? {}
  const facts = {
    ended: ended?.status,
    halt: halt && `${halt.covers}: ${halt.reason}`,
    answer: links?.approve,
    code,
    run: links?.run,
  }
  return [
    [type, template, environment].filter((each) => each !== '').join('  '),
    ...(summary === '' ? [] : [`  ${summary}`]),
    ...Object.entries(facts).flatMap(([name, value = '']) => (value === '' ? [] : [`  ${name.padEnd(7)} ${value}`])),
  ]
}
