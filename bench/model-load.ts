import { Pool } from 'undici'
import { MODEL_KEY } from './litellm.ts'

export interface ModelLoad {
  /** from the moment at which a request was due to the end of its answer, and to its first byte */
  total_ms: number[]
  first_ms: number[]
  /** answers with another status than 200, requests without one among them */
  not_200: number
}

interface ModelLoadOptions {
  model: string
  stream: boolean
  amount: number
  /** requests a second, independent of the answers */
  per_s: number
  /** number of first requests that are not counted */
  warm_up: number
}

const CONNECTIONS = 256

/** Asks a model at a fixed rate. A request counts from when it was due, so that a stall is paid by all that fall into it. */
export async function askModels(url: string, options: ModelLoadOptions): Promise<ModelLoad> {
  const { model, stream, amount, per_s, warm_up } = options
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const body = JSON.stringify({
    model,
    stream,
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Is all well with the checkout service?' }],
    ...(stream && { stream_options: { include_usage: true } }),
  })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY}` }
  const load: ModelLoad = { total_ms: [], first_ms: [], not_200: 0 }
  const ask = async (n: number, due: number) => {
    let first: number | undefined
    let status = 0
    try {
      const answer = await pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body })
      status = answer.statusCode
      for await (const _piece of answer.body) first ??= performance.now() - due
    } catch {
      status = 0
    }
    if (n < warm_up) return
    if (status !== 200) load.not_200 += 1
    load.total_ms.push(performance.now() - due)
    load.first_ms.push(first ?? performance.now() - due)
  }
  const began = performance.now()
  const sent: Promise<void>[] = []
  while (sent.length < amount) {
    const passed = performance.now() - began
    while (sent.length < amount && (sent.length * 1_000) / per_s <= passed)
      sent.push(ask(sent.length, began + (sent.length * 1_000) / per_s))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(sent)
  await pool.close()
  return load
}
