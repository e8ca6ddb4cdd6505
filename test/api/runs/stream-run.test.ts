import { describe, expect, inject, it, vi } from 'vitest'
import { RunEvent } from '#core/run/event-schema.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { oneTo, openStreamWorld, readFrames, seqs } from '#test/support/stream-world.ts'
import { admitTestRun, finishTestRun, logEvents } from '#test/support/test-runs.ts'

itIsGuarded('streamRun')

const world = fileFixture(openStreamWorld)

describe('GET /runs/{id}/stream', () => {
  it('sends what was and what comes, once and in order, and ends with the run', async () => {
    const id = await admitTestRun(world.api)
    await world.append(id, 3)
    const response = await world.api.get(`/runs/${id}/stream`)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reading = readFrames(response)
    await world.append(id, 2)
    await finishTestRun(world.api, id)
    world.api.notifyRun(id)
    const frames = await reading
    expect(seqs(frames)).toEqual(oneTo(7))
    expect(frames.map((frame) => frame.event).slice(-2)).toEqual(['run.succeeded', 'end'])
    for (const frame of frames.slice(0, -1)) {
      const event = RunEvent.parse(JSON.parse(frame.data))
      expect([String(event.seq), event.type, event.run_id]).toEqual([frame.id, frame.event, id])
    }
  })

  it('tells how soon to come back, and keeps a quiet connection open with a comment every 15 seconds', async () => {
    const id = await admitTestRun(world.api)
    vi.useFakeTimers({ toFake: ['setInterval'] })
    try {
      const response = await world.api.get(`/runs/${id}/stream?after_seq=1`)
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
    const id = await admitTestRun(world.api)
    await world.append(id, 5)
    await finishTestRun(world.api, id)
    expect(seqs(await readFrames(await world.api.get(`/runs/${id}/stream`, { 'last-event-id': '4' })))).toEqual([
      5, 6, 7,
    ])
    expect(
      seqs(await readFrames(await world.api.get(`/runs/${id}/stream?after_seq=6`, { 'last-event-id': '1' }))),
    ).toEqual([7])
    expect((await world.api.get(`/runs/${id}/stream`, { 'last-event-id': 'x' })).status).toBe(422)
  })

  it('ends at once when a reader comes back after the end', async () => {
    const id = await admitTestRun(world.api)
    await finishTestRun(world.api, id)
    const frames = await readFrames(await world.api.get(`/runs/${id}/stream?after_seq=2`))
    expect(frames.map((frame) => frame.event)).toEqual(['end'])
  })

  it('needs no notification: a poll finds what was not notified', async () => {
    const polled = await createTestApi(world.database, { hub: { poll_ms: 20 } })
    const id = await admitTestRun(polled)
    const reading = readFrames(await polled.get(`/runs/${id}/stream`))
    await polled.runs.appendEvents(id, logEvents(2))
    await finishTestRun(polled, id)
    expect(seqs(await reading)).toEqual(oneTo(4))
    await polled.close()
  })

  it('goes on when the database cuts every connection', async () => {
    const cut = await createTestDatabase(inject('postgres_url'))
    const own = await createTestApi(cut, { hub: { poll_ms: 20 } })
    const id = await admitTestRun(own)
    const reading = readFrames(await own.get(`/runs/${id}/stream`))
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
      expect((await world.api.get('/runs/run_00000000000000000000000000/stream')).status).toBe(404)
    }
    const id = await admitTestRun(world.api)
    const response = await world.api.get(`/runs/${id}/stream`)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  it('100 readers with random disconnects see every event once and in order', async () => {
    const own = await createTestApi(world.database, { hub: { max_per_workspace: 300 } })
    const id = await admitTestRun(own)
    const total = 302
    const follow = async (reader: number): Promise<number[]> => {
      const seen: number[] = []
      for (let leg = 0; ; leg += 1) {
        const stopAfter = 1 + ((reader * 7 + leg * 31) % 90)
        const frames = await readFrames(
          await own.get(`/runs/${id}/stream?after_seq=${seen.at(-1) ?? 0}`),
          (got) => got.length >= stopAfter,
        )
        seen.push(...seqs(frames))
        if (frames.some((frame) => frame.event === 'end') || seen.length === total) return seen
      }
    }
    const readers = Array.from({ length: 100 }, (_, reader) => follow(reader))
    for (let n = 0; n < 10; n += 1) await world.append(id, 30)
    await finishTestRun(world.api, id)
    world.api.notifyRun(id)
    const seen = await Promise.all(readers)
    for (const one of seen) expect(one).toEqual(oneTo(total))
    await own.close()
  })

  it('feeds all readers of a run with one statement per notification', async () => {
    const id = await admitTestRun(world.api)
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => world.api.get(`/runs/${id}/stream?after_seq=1`)),
    )
    world.reads.length = 0
    const readings = responses.map((response) => readFrames(response))
    for (let n = 0; n < 5; n += 1) await world.append(id, 1)
    await finishTestRun(world.api, id)
    world.api.notifyRun(id)
    for (const frames of await Promise.all(readings)) expect(seqs(frames)).toEqual([2, 3, 4, 5, 6, 7])
    expect(world.reads.length).toBeLessThanOrEqual(12)
  })

  it('refuses the stream after the hundredth of a workspace and takes it again when one leaves', async () => {
    const id = await admitTestRun(world.api)
    const open = await Promise.all(Array.from({ length: 100 }, () => world.api.get(`/runs/${id}/stream`)))
    const refused = await world.api.get(`/runs/${id}/stream`)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await codeOf(refused)).toEqual([429, 'rate_limited'])
    await open[0]?.body?.cancel()
    const taken = await world.api.get(`/runs/${id}/stream`)
    expect(taken.status).toBe(200)
    await Promise.all([taken, ...open.slice(1)].map((response) => response.body?.cancel()))
  })
})
