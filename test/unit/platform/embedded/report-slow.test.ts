import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { reportSlow } from '#platform/embedded/supervisor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('says after a second what is under way, and when it is done', async () => {
  const lines: string[] = []
  let resolve: (value: string) => void = () => undefined
  const work = new Promise<string>((done) => {
    resolve = done
  })
  const reported = reportSlow(work, 'starting PostgreSQL', (line) => lines.push(line))
  await vi.advanceTimersByTimeAsync(999)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(lines).toEqual(['starting PostgreSQL …'])
  await vi.advanceTimersByTimeAsync(2_000)
  resolve('up')
  expect(await reported).toBe('up')
  expect(lines[1]).toBe('starting PostgreSQL: done in 3.0 s')
})

it('says nothing of what is quick, and nothing more of what fails', async () => {
  const lines: string[] = []
  expect(await reportSlow(Promise.resolve(1), 'a', (line) => lines.push(line))).toBe(1)
  await expect(reportSlow(Promise.reject(new Error('no')), 'b', (line) => lines.push(line))).rejects.toThrow('no')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(lines).toEqual([])
})
