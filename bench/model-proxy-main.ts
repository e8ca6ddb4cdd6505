import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** The minimal gateway: it forwards the request, and the answer. */
const upstream = process.env['BENCH_UPSTREAM'] ?? ''
const app = new Hono()
app.post('/v1/chat/completions', async (c) => {
  const answer = await fetch(`${upstream}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await c.req.text(),
  })
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
})
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('SIGTERM', () => server.close(() => process.exit(0)))
