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
      alert: z.looseObject({ title: Text, severity: Text }).optional().catch(undefined),
      ended: z
        .looseObject({ status: Text, error: z.looseObject({ message: Text }).nullable().catch(null) })
        .optional()
        .catch(undefined),
      digest: z
        .looseObject({
          waiting: z.looseObject({ gates: z.number() }),
          first: z.array(z.looseObject({ title: Text, alert: z.looseObject({ title: Text }).optional() })),
        })
        .optional()
        .catch(undefined),
      links: z.looseObject({ approve: Text, run: Text, console: Text }).optional().catch(undefined),
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
  const { template = '', environment = '', summary = '', code = '', links, alert, ended, halt, digest } = data ?? {}
  const facts = {
    alert: alert && `${alert.severity}: ${alert.title}`,
    ended: ended && [ended.status, ended.error?.message].filter(Boolean).join(': '),
    waiting: digest && `${digest.waiting.gates} gates`,
    halt: halt && `${halt.covers}: ${halt.reason}`,
    answer: links?.approve,
    code,
    run: links?.run,
    // where no run is named: the queue of a digest, the halts of a halt
    console: links?.run === '' ? links.console : undefined,
  }
  return [
    [type, template, environment].filter((each) => each !== '').join('  '),
    ...(summary === '' ? [] : [`  ${summary}`]),
    ...(digest?.first ?? []).map(({ title, alert: behind }) => `  - ${behind?.title ?? title}`),
    ...Object.entries(facts).flatMap(([name, value = '']) => (value === '' ? [] : [`  ${name.padEnd(7)} ${value}`])),
  ]
}
