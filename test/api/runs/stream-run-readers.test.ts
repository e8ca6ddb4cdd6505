import { request } from 'node:http'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ApiServer, serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { admitTestRun, finishTestRun, logEvents } from '#test/support/test-runs.ts'

let api: TestApi
let server: ApiServer
const reads: number[] = []

const database = testDatabase()
beforeAll(async () => {
  const feed = createEventFeed(database.db, database.tenants)
  const counted: typeof feed = {
    head: feed.head,
    updates: (known, limit) => {
      reads.push(known.length)
      return feed.updates(known, limit)
    },
  }
  api = await createTestApi(database, { hub: { feed: counted, poll_ms: 60_000 } })
  server = await listen(api)
})
afterAll(async () => {
  await server?.close()
  await api?.close()
})

interface Frame {
  id: string | undefined
  event: string | undefined
  data: string
}

/** Reads frames of a stream until `until` says so or the stream ends. */
async function read(response: Response, until: (frames: Frame[]) => boolean = () => false): Promise<Frame[]> {
  expect(response.status).toBe(200)
  const frames: Frame[] = []
  const reader = (response.body ?? new ReadableStream())
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  while (!until(frames)) {
    const { done, value } = await reader.read()
    if (done) return frames
    frames.push({ id: value.id, event: value.event, data: value.data })
  }
  await reader.cancel()
  return frames
}

const seqs = (frames: Frame[]) => frames.filter((frame) => frame.event !== 'end').map((frame) => Number(frame.id))
const oneTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1)

async function append(runId: string, count: number, data: Record<string, string> = {}): Promise<void> {
  await api.runs.appendEvents(runId, logEvents(count, data))
  api.notifyRun(runId)
}

describe('a reader that does not keep up', () => {
  it('is cut off at 1 MiB, and the others lose nothing', async () => {
    const own = await createTestApi(database, { hub: { poll_ms: 20, stall_ms: 1_000 } })
    const id = await admitTestRun(own)
    const slow = await own.get(`/runs/${id}/stream`)
    const quick = read(await own.get(`/runs/${id}/stream`))
    for (let n = 0; n < 30; n += 1) await append(id, 10, { text: 'x'.repeat(10_000) })
    await vi.waitFor(() => expect(own.deps.hub.openStreams()).toBe(1), PATIENCE)
    await finishTestRun(own, id)
    expect(seqs(await quick)).toEqual(oneTo(302))
    await expect(slow.text()).rejects.toThrow('did not keep up')
    await own.close()
  })

  it('is cut off on a real connection too, and resumes without a gap', async () => {
    const own = await createTestApi(database, { hub: { poll_ms: 20, stall_ms: 2_000 } })
    const ownServer = await listen(own)
    const id = await admitTestRun(own)
    const stalled = openAndStall(`${ownServer.url}/runs/${id}/stream`)
    const quick = read(await fetch(`${ownServer.url}/runs/${id}/stream`))
    for (let n = 0; n < 30; n += 1) await append(id, 10, { text: 'x'.repeat(60_000) })
    await vi.waitFor(() => expect(own.deps.hub.openStreams()).toBe(1), PATIENCE)
    await finishTestRun(own, id)
    expect(seqs(await quick)).toEqual(oneTo(302))
    expect(await (await stalled).received()).toBeLessThan(302 * 60_000)
    expect(seqs(await read(await fetch(`${ownServer.url}/runs/${id}/stream?after_seq=150`)))).toEqual(
      oneTo(302).slice(150),
    )
    await ownServer.close()
    await own.close()
  })

  it('that starts far behind is served at its own pace, however long the log', async () => {
    const id = await admitTestRun(api)
    for (let n = 0; n < 8; n += 1) await append(id, 100, { text: 'x'.repeat(5_000) })
    await finishTestRun(api, id)
    expect(seqs(await read(await api.get(`/runs/${id}/stream`)))).toEqual(oneTo(802))
  })
})

/** A client that connects and then takes nothing, until it is asked how much had arrived when the server cut it off. */
function openAndStall(url: string): Promise<{ received: () => Promise<number> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, (answer) => {
      let bytes = 0
      answer.pause()
      answer.on('error', () => {})
      resolve({
        received: () =>
          new Promise((done) => {
            answer.on('data', (chunk: Buffer) => {
              bytes += chunk.length
            })
            answer.on('close', () => done(bytes))
            answer.resume()
          }),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

function listen(own: TestApi): Promise<ApiServer> {
  return serveApi(own.app, {
    host: '127.0.0.1',
    port: 0,
    ids: createIds(),
    onDrain: own.deps.hub.close,
    drain_ms: 5_000,
  })
}

describe('a server that shuts down', () => {
  it('ends open streams with a comment and takes no more', async () => {
    const own = await createTestApi(database)
    const ownServer = await listen(own)
    const id = await admitTestRun(own)
    const response = await fetch(`${ownServer.url}/runs/${id}/stream`)
    const text = response.text()
    const started = performance.now()
    await ownServer.close()
    expect(await text).toContain(': the server is closing')
    expect(performance.now() - started).toBeLessThan(2_000)
    expect((await own.get(`/runs/${id}/stream`)).status).toBe(503)
    await own.close()
  })

  it('says which port is taken and what to do', async () => {
    const port = Number(new URL(server.url).port)
    await expect(serveApi(api.app, { host: '127.0.0.1', port, ids: createIds(), onDrain: () => {} })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken`,
    )
  })
})
