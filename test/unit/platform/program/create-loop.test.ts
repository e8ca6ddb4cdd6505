import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLoop } from '#platform/program/create-loop.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function loopOf(round: () => Promise<number>) {
  const warnings: [object, string][] = []
  const log = { warn: (fields: object, message: string) => void warnings.push([fields, message]) }
  return { warnings, loop: createLoop({ first_ms: 10, again_ms: 50, failed: 'it did not work', log }, round) }
}

describe('a loop', () => {
  it('waits as long as the round before has answered', async () => {
    const round = vi.fn(async () => 100)
    const { loop } = loopOf(round)
    loop.start()
    await vi.advanceTimersByTimeAsync(10)
    expect(round).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(99)
    expect(round).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(round).toHaveBeenCalledTimes(2)
    await loop.stop()
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('no database'))],
    [
      'throws',
      () => {
        throw new Error('no database')
      },
    ],
  ])('goes on after a round that %s, and warns of it', async (_how, fail) => {
    const round = vi.fn(async () => 100).mockImplementationOnce(fail)
    const { loop, warnings } = loopOf(round)
    loop.start()
    await vi.advanceTimersByTimeAsync(10)
    expect(warnings).toEqual([[{ err: new Error('no database') }, 'it did not work']])
    await vi.advanceTimersByTimeAsync(50)
    expect(round).toHaveBeenCalledTimes(2)
    await loop.stop()
  })

  it('ends when it is stopped, also in a round that fails meanwhile', async () => {
    let fail = (_error: Error) => {}
    const round = vi.fn(
      () =>
        new Promise<number>((_resolve, reject) => {
          fail = reject
        }),
    )
    const { loop } = loopOf(round)
    loop.start()
    await vi.advanceTimersByTimeAsync(10)
    const stopped = loop.stop()
    fail(new Error('no database'))
    await stopped
    await vi.advanceTimersByTimeAsync(1_000)
    expect(round).toHaveBeenCalledTimes(1)
  })
})
