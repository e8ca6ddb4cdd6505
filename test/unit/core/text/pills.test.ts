import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { paintRisk, riskText, statusText } from '#cli/views/pill-text.ts'
import { tableLines, widthOf } from '#cli/views/table.ts'
import { riskPill, severityPill, statusPill, TONE_COLOURS } from '#core/text/pills.ts'

const source = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const SYMBOLS = new Set(Array.from(source('core/text/pills.ts').matchAll(/\['\w+', '(.)'\]/gu), ([, symbol]) => symbol))
/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (one: string, other: string) => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

describe('pills', () => {
  test('are drawn in the console with an icon in place of each symbol', () => {
    const icons = Array.from(
      source('console/src/components/status.tsx').matchAll(/^ {2}'(.)': \w+,$/gmu),
      ([, of]) => of,
    )
    // what has no shape of its own is a dashed circle
    expect(new Set([...icons, '·', '◦'])).toEqual(SYMBOLS)
  })

  test('say it in words', () => {
    expect(statusPill('awaiting_approval').text).toBe('awaiting approval')
    expect(riskPill('high').text).toBe('high risk')
    expect(severityPill('critical').text).toBe('critical')
    expect([statusPill('new'), severityPill('page')]).toMatchObject([{ tone: 'neutral' }, { tone: 'info' }])
  })

  test('have symbols of one column, which tell them apart without any colour', () => {
    const risks = ['low', 'medium', 'high'].map(riskPill)
    expect(SYMBOLS.size).toBeGreaterThan(15)
    for (const symbol of SYMBOLS) expect([symbol, widthOf(symbol ?? '')]).toEqual([symbol, 1])
    expect(new Set(risks.map(({ symbol }) => symbol)).size).toBe(3)
    const ends = ['succeeded', 'failed', 'rejected', 'expired', 'cancelled', 'open', 'running']
    expect(new Set(ends.map((of) => statusPill(of).symbol)).size).toBe(ends.length)
  })

  test('have the colours of its tokens, each pair of a contrast of at least 4.5', () => {
    const [light = '', dark = ''] = source('console/src/tokens.css').split(':root[data-theme="dark"]')
    const token = (css: string, name: string) => new RegExp(`--${name}: (#\\w{6});`).exec(css)?.[1]
    for (const [tone, pairs] of Object.entries(TONE_COLOURS))
      for (const [css, [text, ground]] of [[light, pairs.light] as const, [dark, pairs.dark] as const]) {
        const names = tone === 'neutral' ? ['muted-foreground', 'muted'] : [tone, `${tone}-soft`]
        expect([text, ground]).toEqual(names.map((name) => token(css, name)))
        expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5)
      }
  })
})

describe('in a terminal', () => {
  test('a status is a symbol and words where a person reads, and the word of the API where a program does', () => {
    expect([statusText('awaiting_approval', true), riskText('high', true)]).toEqual(['◆ awaiting approval', '█ high'])
    expect([statusText('awaiting_approval', false), riskText('high', false)]).toEqual(['awaiting_approval', 'high'])
  })

  test('columns behind a pill stay aligned', () => {
    const rows = ['succeeded', 'awaiting_approval', 'rejected'].map((status) => ({ status, risk: 'high', id: 'x' }))
    const lines = tableLines(
      [
        { title: 'STATUS', text: ({ status }) => statusText(status, true) },
        { title: 'RISK', text: ({ risk }) => riskText(risk, true), paint: (text, { risk }) => paintRisk(text, risk) },
        { title: 'ID', text: ({ id }) => id },
      ],
      rows,
    )
    expect(new Set(lines.slice(1).map((line) => widthOf(line.slice(0, line.lastIndexOf('x')))))).toEqual(new Set([29]))
  })
})
