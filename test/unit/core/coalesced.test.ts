import { expect, test } from 'vitest'
import { coalesced } from '#core/coalesced.ts'

/** A read that is answered when the test says so, with the number of the read. */
function scripted() {
  const begun: { key: string; answer: (value: string) => void; fail: (error: Error) => void }[] = []
  const read = (key: string) =>
    new Promise<string>((answer, fail) => {
      begun.push({ key, answer, fail })
    })
  return { begun, read: coalesced(read) }
}

test('anyone who asks while a read is under way gets the next one, and all of them the same', async () => {
  const { begun, read } = scripted()
  const first = read('a')
  const later = [read('a'), read('a'), read('a')]
  expect(begun).toHaveLength(1)
  begun[0]?.answer('old')
  expect(await first).toBe('old')
  await Promise.resolve()
  expect(begun).toHaveLength(2)
  begun[1]?.answer('new')
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new'])
})

test('keys do not wait for each other', () => {
  const { begun, read } = scripted()
  void read('a')
  void read('b')
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
})

test('a read that fails fails for those who shared it, and the next starts over', async () => {
  const { begun, read } = scripted()
  const first = read('a')
  const second = read('a')
  begun[0]?.fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await Promise.resolve()
  begun[1]?.answer('back')
  expect(await second).toBe('back')
  void read('a')
  expect(begun).toHaveLength(3)
})

test('two reads never run at once, also where the first caller asks again at once', async () => {
  const running = { now: 0, most: 0 }
  const read = coalesced(async () => {
    running.now += 1
    running.most = Math.max(running.most, running.now)
    await new Promise((resolve) => setImmediate(resolve))
    running.now -= 1
  })
  await Promise.all([read().then(() => read()), read(), read()])
  expect(running).toEqual({ now: 0, most: 1 })
})
