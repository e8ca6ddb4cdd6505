import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { excerptOf } from '#core/run/excerpt.ts'
import { shownData } from '#core/run/shown-data.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('data of a step', () => {
  it('is shown whole where there is room, with the digest of its canonical text and its size', () => {
    const digest = `sha256:${sha256('{"a":"é","b":1}')}`
    expect(shownData({ b: 1, a: 'é' }, 100, sha256)).toEqual({ digest, bytes: 16, value: { b: 1, a: 'é' } })
  })

  it('is cut where it is too large, and keeps the digest of all of it', () => {
    const value = { rows: Array.from({ length: 10_000 }, (_, n) => n) }
    const shown = shownData(value, 1_000, sha256)
    expect(shown).toMatchObject({ digest: shownData(value, 1_000_000, sha256).digest, bytes: 48_900, cut: true })
    expect(shown).not.toHaveProperty('value')
    expect(shown.excerpt).toMatch(/^rows:\n {2}- 0\n {2}- 1\n/)
  })
})

describe('an excerpt', () => {
  it('has one line a member, and text as it was written', () => {
    const value = { status: 503, body: 'down\nsince 9', rows: [{ pid: 7, who: null }, []], none: {} }
    expect(excerptOf(value, 1_000)).toEqual({
      text: 'status: 503\nbody:\n  down\n  since 9\nrows:\n  -\n    pid: 7\n    who: null\n  - []\nnone: {}',
      cut: false,
    })
    expect(excerptOf('plain', 100)).toEqual({ text: 'plain', cut: false })
  })

  it.each([
    ['characters', { text: 'x'.repeat(10_000) }, 111],
    ['lines', { text: 'x\n'.repeat(10_000) }, 500],
    ['members', Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`m${n}`, n])), 2_000],
  ])('of too many %s ends, and says so', (_, value, most) => {
    const { text, cut } = excerptOf(value, most)
    expect(cut).toBe(true)
    expect(text.endsWith('…')).toBe(true)
    expect(text.length).toBeLessThanOrEqual(most + 2)
    expect(text.split('\n').length).toBeLessThanOrEqual(61)
  })

  it('shows what would not be seen', () => {
    expect(excerptOf({ name: 'a\u202eb' }, 100).text).toBe('name: a\\u{202e}b')
  })
})
