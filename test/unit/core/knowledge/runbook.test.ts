import { expect, it } from 'vitest'
import { chunkOf, mentions, namedDocuments, wordsOf } from '#core/knowledge/runbook.ts'

const chunk = (heading: string | undefined, text: string, path = 'database.md') => ({
  path,
  text,
  ...(heading !== undefined && { heading }),
})

it.each([
  ['https://wiki.example/ops/runbooks/database.md#restart-the-pool', 'restart the pool', 'runbooks/database.md'],
  ['runbooks/database.md', '', 'runbooks/database.md'],
  ['https://wiki.example/runbooks/database', '', 'runbooks/database.md'],
  ['https://wiki.example/a%20b.md', '', 'a b.md'],
])('reads which document and section an alert names: %s', (runbook_url, section, path) => {
  const [named] = namedDocuments({ annotations: { runbook_url }, links: [] })
  expect(named?.section).toBe(section)
  expect(named?.paths).toContain(path)
})

it('reads links with that title, each address once, and nothing from other annotations', () => {
  const links = [
    { title: 'Runbook', url: 'https://w.example/a.md' },
    { title: 'Graph', url: 'https://w.example/b.md' },
  ]
  const annotations = { runbook_url: 'https://w.example/a.md', summary: 'c.md', runbook: 'https://w.example/%zz' }
  expect(namedDocuments({ annotations, links }).map(({ paths }) => paths[0])).toEqual(['a.md', '%zz.md'])
  expect(namedDocuments({ annotations: { runbook: 'http://[' }, links: [] })).toEqual([])
})

it('takes any text as plain words, which exclude and quote nothing', () => {
  expect(wordsOf('"Payments-API" -restart or NOT é')).toEqual(['payments', 'api', 'restart', 'or', 'not', 'é'])
  expect(wordsOf('a '.repeat(1_000)).length).toBe(24)
})

it('knows a name however it is punctuated, and no part of a word', () => {
  expect(mentions(chunk('Payments API', 'x'), ['payments-api'])).toBe(true)
  expect(mentions(chunk(undefined, 'the shopping cart'), ['shop'])).toBe(false)
  expect(mentions(chunk(undefined, 'x'), ['--'])).toBe(false)
})

it('leads to the section, else to what mentions the names, else to the beginning', () => {
  const all = [chunk('Database', 'first'), chunk('Database > Restart', 'two'), chunk('Database > Else', 'about shop')]
  expect(chunkOf(all, 'restart', ['shop'])?.text).toBe('two')
  expect(chunkOf(all, 'gone', ['shop'])?.text).toBe('about shop')
  expect(chunkOf(all, '', ['nobody'])?.text).toBe('first')
  expect(chunkOf([], '', [])).toBeUndefined()
})

it('looks for a few documents at most, however many an alert names', () => {
  const links = Array.from({ length: 5_000 }, (_, at) => ({ title: 'Runbook', url: `https://w.example/${at}.md` }))
  expect(namedDocuments({ annotations: {}, links })).toHaveLength(4)
})
