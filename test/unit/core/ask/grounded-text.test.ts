import { describe, expect, test } from 'vitest'
import { groundedText } from '#core/ask/grounded-text.ts'

const RUN = 'run_01hzy3v9k5m8q2w4x6z8b0d2f4'
const RESULTS = new Map([
  ['t1', `{"run_id":"${RUN}"}`],
  ['t2', '{"gates":[]}'],
])
const ground = (answer: string) => groundedText(answer, RESULTS)

describe('sentences that rest on results', () => {
  test.each([
    ['One failed.[^t1]', 'One failed.[^t1]', ['t1']],
    ['One failed [^t1].', 'One failed.[^t1]', ['t1']],
    ['One failed. [^t1] [^t2]', 'One failed.[^t1][^t2]', ['t1', 't2']],
    ['It cost 0.05 USD, e.g. for tokens.[^t2]', 'It cost 0.05 USD, e.g. for tokens.[^t2]', ['t2']],
    [`**${RUN}** failed![^t1]`, `**${RUN}** failed![^t1]`, ['t1']],
    ['- One.[^t1]\n- Two.[^t2]', '- One.[^t1]\n- Two.[^t2]', ['t1', 't2']],
    ['No stop[^t1]', 'No stop[^t1]', ['t1']],
    ['Run `svc runs`.[^t1]', 'Run `svc runs`.[^t1]', ['t1']],
    ['Läuft nicht.[^t1] Ärger folgt.[^t2]', 'Läuft nicht.[^t1] Ärger folgt.[^t2]', ['t1', 't2']],
  ])('%j stays', (answer, text, cited) => {
    expect(ground(answer)).toEqual({ text, cited })
  })

  test.each([
    ['Nothing is cited.', ''],
    ['A foreign result.[^t7]', ''],
    ['# A heading\n\nOne.[^t1]', 'One.[^t1]'],
    ['One.[^t1] Two. Three.[^t2]', 'One.[^t1] Three.[^t2]'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', ''],
    ['[^t1]', ''],
    ['...[^t1]', ''],
    [`${RUN} waits.[^t2]`, ''],
    ['run_7zzzzzzzzzzzzzzzzzzzzzzzzz failed.[^t1]', ''],
    ['First.[^t1][^t9]', 'First.[^t1]'],
  ])('%j becomes %j', (answer, text) => {
    expect(ground(answer).text).toBe(text)
  })
})

describe('what is left is harmless', () => {
  test.each([
    ['See ![a](https://x.test/q?secret).[^t1]', 'See a.[^t1]'],
    ['See [it](https://x.test).[^t1]', 'See it.[^t1]'],
    ['See [[it](https://x.test)](https://x.test).[^t1]', 'See it.[^t1]'],
    ['See [it][1].[^t1]', 'See it.[^t1]'],
    ['See https://x.test/q?s now.[^t1]', 'See `https://x.test/q?s` now.[^t1]'],
    ['See www.x.test now.[^t1]', 'See `www.x.test` now.[^t1]'],
    ['See <https://x.test> now.[^t1]', 'See &lt;`https://x.test`> now.[^t1]'],
    ['<img src=x onerror=a> is up.[^t1]', '&lt;img src=x onerror=a> is up.[^t1]'],
    ['`\n[x](https://x.test) ` is up.[^t1]\n`', 'x  is up.[^t1]'],
    ['[1]: //x.test/q [^t1]', '[1] : //x.test/q[^t1]'],
    ['Ask *_https://x.test[^t1]', 'Ask *_`https://x.test`[^t1]'],
    ['See \\`![a](https://x.test/q?secret)\\` now.[^t1]', 'See \\a\\ now.[^t1]'],
    ['See \\`<img src=x>\\` now.[^t1]', 'See \\&lt;img src=x>\\ now.[^t1]'],
    ['See \\https://x.test now.[^t1]', 'See `\\https://x.test` now.[^t1]'],
    ['Up \u202e now.[^t1]', 'Up \\u{202e} now.[^t1]'],
  ])('%j becomes %j', (answer, text) => {
    expect(ground(answer).text).toBe(text)
  })

  test('no answer of letters that Markdown minds takes long, or leads anywhere', () => {
    const alphabet = [
      '[',
      ']',
      '(',
      ')',
      '!',
      '`',
      '<',
      '>',
      'https://x.test',
      ' ',
      '.',
      '[^t1]',
      '\n',
      'a',
      '^',
      '*',
      '_',
      ':',
    ]
    let seed = 7
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed
    }
    for (let n = 0; n < 5_000; n += 1) {
      const answer = Array.from({ length: 30 }, () => alphabet[next() % alphabet.length]).join('')
      const { text } = ground(answer)
      expect(text.replace(/`[^`]*`/g, 'code'), answer).not.toMatch(/\]\(|\]\[(?!\^)|\]:|<|https:/)
    }
    const began = performance.now()
    ground('[a'.repeat(20_000))
    ground(`${'a. '.repeat(10_000)}[^t1]`)
    ground('![[('.repeat(5_000))
    ground(`${'.'.repeat(10_000)}${' '.repeat(9_999)}a`)
    ground('\\'.repeat(20_000))
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
