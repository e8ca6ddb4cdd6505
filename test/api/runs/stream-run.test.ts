import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { type ApiServer, serveApi } from '#api/server.ts'
import { RunEvent } from '#core/run/event-schema.ts'
import { createIds } from '#platform/ids.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { admitTestRun, finishTestRun, logEvents } from '#test/support/test-runs.ts'

itIsGuarded('streamRun')

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

describe('GET /runs/{id}/stream', () => {
  it('sends what was and what comes, once and in order, and ends with the run', async () => {
    const id = await admitTestRun(api)
    await append(id, 3)
    const response = await api.get(`/runs/${id}/stream`)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reading = read(response)
    await append(id, 2)
    await finishTestRun(api, id)
    api.notifyRun(id)
    const frames = await reading
    expect(seqs(frames)).toEqual(oneTo(7))
    expect(frames.map((frame) => frame.event).slice(-2)).toEqual(['run.succeeded', 'end'])
    for (const frame of frames.slice(0, -1)) {
      const event = RunEvent.parse(JSON.parse(frame.data))
      expect([String(event.seq), event.type, event.run_id]).toEqual([frame.id, frame.event, id])
    }
  })

  it('tells how soon to come back, and keeps a quiet connection open with a comment every 15 seconds', async () => {
    const id = await admitTestRun(api)
    vi.useFakeTimers({ toFake: ['setInterval'] })
    try {
      const response = await api.get(`/runs/${id}/stream?after_seq=1`)
      vi.advanceTimersByTime(30_000)
      const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
      const chunks: unknown[] = []
      for (let n = 0; n < 3; n += 1) chunks.push((await reader.read()).value)
      expect(chunks.join('')).toBe('retry: 2000\n\n: ping\n\n: ping\n\n')
      await reader.cancel()
    } finally {
      vi.useRealTimers()
    }
  })

  it('resumes after Last-Event-ID, and after_seq wins over it', async () => {
    const id = await admitTestRun(api)
    await append(id, 5)
    await finishTestRun(api, id)
    expect(seqs(await read(await api.get(`/runs/${id}/stream`, { 'last-event-id': '4' })))).toEqual([5, 6, 7])
    expect(seqs(await read(await api.get(`/runs/${id}/stream?after_seq=6`, { 'last-event-id': '1' })))).toEqual([7])
    expect((await api.get(`/runs/${id}/stream`, { 'last-event-id': 'x' })).status).toBe(422)
  })

  it('ends at once when a reader comes back after the end', async () => {
    const id = await admitTestRun(api)
    await finishTestRun(api, id)
    const frames = await read(await api.get(`/runs/${id}/stream?after_seq=2`))
    expect(frames.map((frame) => frame.event)).toEqual(['end'])
  })

  it('needs no notification: a poll finds what was not notified', async () => {
    const polled = await createTestApi(database, { hub: { poll_ms: 20 } })
    const id = await admitTestRun(polled)
    const reading = read(await polled.get(`/runs/${id}/stream`))
    await polled.runs.appendEvents(id, logEvents(2))
    await finishTestRun(polled, id)
    expect(seqs(await reading)).toEqual(oneTo(4))
    await polled.close()
  })

  it('goes on when the database cuts every connection', async () => {
    const cut = await createTestDatabase(inject('postgres_url'))
    const own = await createTestApi(cut, { hub: { poll_ms: 20 } })
    const id = await admitTestRun(own)
    const reading = read(await own.get(`/runs/${id}/stream`))
    await own.runs.appendEvents(id, logEvents(2))
    await cut.db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await vi.waitFor(() => own.runs.appendEvents(id, logEvents(1)), PATIENCE)
    await vi.waitFor(() => finishTestRun(own, id), PATIENCE)
    const seen = seqs(await reading)
    expect(seen).toEqual(oneTo(seen.length))
    expect(seen.length).toBeGreaterThanOrEqual(5)
    await own.close()
    await cut.drop()
  })

  it('is 404 for an unknown run and leaves no stream behind', async () => {
    for (let n = 0; n < 150; n += 1) {
      expect((await api.get('/runs/run_00000000000000000000000000/stream')).status).toBe(404)
    }
    const id = await admitTestRun(api)
    const response = await api.get(`/runs/${id}/stream`)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  it('100 readers with random disconnects see every event once and in order', async () => {
    const own = await createTestApi(database, { hub: { max_per_workspace: 300 } })
    const id = await admitTestRun(own)
    const total = 302
    const follow = async (reader: number): Promise<number[]> => {
      const seen: number[] = []
      for (let leg = 0; ; leg += 1) {
        const stopAfter = 1 + ((reader * 7 + leg * 31) % 90)
        const frames = await read(
          await own.get(`/runs/${id}/stream?after_seq=${seen.at(-1) ?? 0}`),
          (got) => got.length >= stopAfter,
        )
        seen.push(...seqs(frames))
        if (frames.some((frame) => frame.event === 'end') || seen.length === total) return seen
      }
    }
    const readers = Array.from({ length: 100 }, (_, reader) => follow(reader))
    for (let n = 0; n < 10; n += 1) await append(id, 30)
    await finishTestRun(api, id)
    api.notifyRun(id)
    const seen = await Promise.all(readers)
    for (const one of seen) expect(one).toEqual(oneTo(total))
    await own.close()
  })

  it('feeds all readers of a run with one statement per notification', async () => {
    const id = await admitTestRun(api)
    const responses = await Promise.all(Array.from({ length: 50 }, () => api.get(`/runs/${id}/stream?after_seq=1`)))
    reads.length = 0
    const readings = responses.map((response) => read(response))
    for (let n = 0; n < 5; n += 1) await append(id, 1)
    await finishTestRun(api, id)
    api.notifyRun(id)
    for (const frames of await Promise.all(readings)) expect(seqs(frames)).toEqual([2, 3, 4, 5, 6, 7])
    expect(reads.length).toBeLessThanOrEqual(12)
  })

  it('refuses the stream after the hundredth of a workspace and takes it again when one leaves', async () => {
    const id = await admitTestRun(api)
    const open = await Promise.all(Array.from({ length: 100 }, () => api.get(`/runs/${id}/stream`)))
    const refused = await api.get(`/runs/${id}/stream`)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await codeOf(refused)).toEqual([429, 'rate_limited'])
    await open[0]?.body?.cancel()
    const taken = await api.get(`/runs/${id}/stream`)
    expect(taken.status).toBe(200)
    await Promise.all([taken, ...open.slice(1)].map((response) => response.body?.cancel()))
  })
})

function listen(own: TestApi): Promise<ApiServer> {
  return serveApi(own.app, {
    host: '127.0.0.1',
    port: 0,
    ids: createIds(),
    onDrain: own.deps.hub.close,
    drain_ms: 5_000,
  })
}
