import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLru } from '#core/lru.ts'

describe('createLru', () => {
  it('forgets what was not used for the longest time', () => {
    const cache = createLru<string, number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
  })

  it('takes a new value for a key without forgetting another', () => {
    const cache = createLru<string, number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    cache.set('b', 3)
    expect(['a', 'b'].map((key) => cache.get(key))).toEqual([1, 3])
    cache.delete('a')
    expect(cache.get('a')).toBeUndefined()
  })

  it('never holds more than it may, and always what was set last', () => {
    const keys = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 })
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 10 }), (written, max) => {
        const cache = createLru<number, string>(max)
        for (const key of written) {
          cache.set(key, String(key))
          expect(cache.get(key)).toBe(String(key))
        }
        const held = [...new Set(written)].filter((key) => cache.get(key) !== undefined)
        expect(held.length).toBe(Math.min(max, new Set(written).size))
      }),
    )
  })
})
