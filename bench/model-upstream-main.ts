import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A model that answers the same to everybody: `at-0` at once, `at-20` after 20 ms. */
const PIECES = ['It ', 'is ', 'all ', 'well', '.']
const USAGE = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
const HEAD = { id: 'chatcmpl-bench', created: 0 }

interface Asked {
  model: string
  stream?: boolean
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 500
    response.end(String(error))
  })
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, stream } = (await json(request)) as Asked
  const [, delay = '0'] = model.split('-')
  if (delay !== '0') await sleep(Number(delay))
  if (stream !== true) {
    const message = { role: 'assistant', content: PIECES.join('') }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...HEAD, object: 'chat.completion', model, choices, usage: USAGE }))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  const send = (part: object) =>
    response.write(`data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', model, ...part })}\n\n`)
  for (const content of PIECES) send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  send({ choices: [], usage: USAGE })
  response.end('data: [DONE]\n\n')
}

server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('SIGTERM', () => process.exit(0))
