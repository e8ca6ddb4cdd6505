import { EventSourceParserStream } from 'eventsource-parser/stream'
import { expect } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createTestApi, type TestApi } from './api-client.ts'
import { createTestDatabase } from './database.ts'
import { logEvents } from './test-runs.ts'

export interface Frame {
  id: string | undefined
  event: string | undefined
  data: string
}

/** A served API whose streams learn of events by notification alone; `reads` says how many runs each read of the feed was about. */
export async function openStreamWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  const reads: number[] = []
  const feed = createEventFeed(database.db, database.tenants)
  const counted: typeof feed = {
    head: feed.head,
    updates: (known, limit) => {
      reads.push(known.length)
      return feed.updates(known, limit)
    },
  }
  const api = await createTestApi(database, { hub: { feed: counted, poll_ms: 60_000 } })
  const server = await serveStreams(api)
  return {
    ...{ database, api, server, reads },
    async append(runId: string, count: number, data: Record<string, string> = {}): Promise<void> {
      await api.runs.appendEvents(runId, logEvents(count, data))
      api.notifyRun(runId)
    },
    async close() {
      await server.close()
      await api.close()
      await database.drop()
    },
  }
}

export const serveStreams = ({ app, deps }: TestApi) =>
  serveApi(app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: deps.hub.close, drain_ms: 5_000 })

/** Reads frames of a stream until `until` says so or the stream ends. */
export async function readFrames(
  response: Response,
  until: (frames: Frame[]) => boolean = () => false,
): Promise<Frame[]> {
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

export const seqs = (frames: Frame[]) => frames.filter(({ event }) => event !== 'end').map(({ id }) => Number(id))
export const oneTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1)
