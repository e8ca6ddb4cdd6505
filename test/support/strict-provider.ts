import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface StrictProvider {
  url: string
  /** bodies of the requests, in their order */
  bodies: Record<string, unknown>[]
  close(): Promise<void>
}

/** A provider of the format of OpenAI that answers 400 to a request with a field that it does not know. */
export async function startStrictProvider(fields: readonly string[]): Promise<StrictProvider> {
  const known = new Set(fields)
  const bodies: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>
    bodies.push(body)
    const unknown = Object.keys(body).find((name) => !known.has(name))
    if (unknown !== undefined) {
      const error = { message: `Unrecognized request argument supplied: ${unknown}`, param: unknown }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const about = { id: 'c', created: 1, model: 'strict' }
    if (body['stream'] !== true) {
      const choice = { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }
      const answer = { ...about, object: 'chat.completion', choices: [choice], usage }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      return
    }
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...rest })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: null }] }))
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
    response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
