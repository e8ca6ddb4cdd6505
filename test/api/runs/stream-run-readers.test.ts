import { request } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { oneTo, openStreamWorld, readFrames, seqs, serveStreams } from '#test/support/stream-world.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

const world = fileFixture(openStreamWorld)

describe('a reader that does not keep up', () => {
  it('is cut off at 1 MiB, and the others lose nothing', async () => {
    const own = await createTestApi(world.database, { hub: { poll_ms: 20, stall_ms: 1_000 } })
    const id = await admitTestRun(own)
    const slow = await own.get(`/runs/${id}/stream`)
    const quick = readFrames(await own.get(`/runs/${id}/stream`))
    for (let n = 0; n < 30; n += 1) await world.append(id, 10, { text: 'x'.repeat(10_000) })
    await vi.waitFor(() => expect(own.deps.hub.openStreams()).toBe(1), PATIENCE)
    await finishTestRun(own, id)
    expect(seqs(await quick)).toEqual(oneTo(302))
    await expect(slow.text()).rejects.toThrow('did not keep up')
    await own.close()
  })

  it('is cut off on a real connection too, and resumes without a gap', async () => {
    const own = await createTestApi(world.database, { hub: { poll_ms: 20, stall_ms: 2_000 } })
    const ownServer = await serveStreams(own)
    const id = await admitTestRun(own)
    const stalled = openAndStall(`${ownServer.url}/runs/${id}/stream`)
    const quick = readFrames(await fetch(`${ownServer.url}/runs/${id}/stream`))
    for (let n = 0; n < 30; n += 1) await world.append(id, 10, { text: 'x'.repeat(60_000) })
    await vi.waitFor(() => expect(own.deps.hub.openStreams()).toBe(1), PATIENCE)
    await finishTestRun(own, id)
    expect(seqs(await quick)).toEqual(oneTo(302))
    expect(await (await stalled).received()).toBeLessThan(302 * 60_000)
    expect(seqs(await readFrames(await fetch(`${ownServer.url}/runs/${id}/stream?after_seq=150`)))).toEqual(
      oneTo(302).slice(150),
    )
    await ownServer.close()
    await own.close()
  })

  it('that starts far behind is served at its own pace, however long the log', async () => {
    const id = await admitTestRun(world.api)
    for (let n = 0; n < 8; n += 1) await world.append(id, 100, { text: 'x'.repeat(5_000) })
    await finishTestRun(world.api, id)
    expect(seqs(await readFrames(await world.api.get(`/runs/${id}/stream`)))).toEqual(oneTo(802))
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

describe('a server that shuts down', () => {
  it('ends open streams with a comment and takes no more', async () => {
    const own = await createTestApi(world.database)
    const ownServer = await serveStreams(own)
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
    const port = Number(new URL(world.server.url).port)
    await expect(
      serveApi(world.api.app, { host: '127.0.0.1', port, ids: createIds(), onDrain: () => {} }),
    ).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`)
  })
})
