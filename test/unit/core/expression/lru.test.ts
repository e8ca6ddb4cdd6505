import { describe, expect, it } from 'vitest'
import { createLru } from '#core/expression/lru.ts'

describe('createLru', () => {
  it('creates once, and forgets what was not used for the longest time', () => {
    const made: string[] = []
    const get = createLru<string>(2)
    const use = (key: string) =>
      get(key, () => {
        made.push(key)
        return key
      })
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(use(key)).toBe(key)
    expect(made).toEqual(['a', 'b', 'c', 'b'])
  })

  it('remembers nothing of what could not be created', () => {
    const get = createLru<number>(2)
    expect(() =>
      get('a', () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(get('a', () => 1)).toBe(1)
  })
})
