import { expect, it } from 'vitest'
import { excerptOf } from '#core/run/excerpt.ts'
import { findingOf } from '#core/run/finding.ts'

const headers = { 'content-type': 'application/json', date: 'Mon, 05 Jan 2026 09:30:00 GMT' }
const read = (outputs: Parameters<typeof findingOf>[0]) => excerptOf(findingOf(outputs), 1_000).text

it('shows status and the own words of an HTTP answer first, and neither its headers nor the same text again', () => {
  const json = { since: '13:08', detail: 'restart refused: disk full' }
  expect(read({ ms: 12, text: JSON.stringify(json), headers, json, status: 503 })).toBe(
    'status: 503\njson:\n  detail: restart refused: disk full\n  since: 13:08',
  )
})

it('shows text that is no JSON, why there is none, and what was followed', () => {
  const redirects = [{ status: 302, location: 'http://a.example/b' }]
  const problem = 'The answer says that it is JSON, and it is not.'
  expect(read({ headers, text: 'disk full', status: 500, ms: 1, problem, redirects })).toBe(
    `status: 500\nproblem: ${problem}\ntext: disk full\nredirects:\n  -\n    status: 302\n    location: http://a.example/b`,
  )
  expect(read({ headers, status: 204, ms: 1 })).toBe('status: 204')
})

it.each([[{ rows: [1], headers: ['a', 'b'] }], [{ status: 'ok', headers: {} }], ['text'], [null], [[1]]])(
  'leaves other outputs as they are: %j',
  (outputs) => expect(findingOf(outputs)).toBe(outputs),
)

it('hides no words of a target: neither those of a member that stands twice nor members that it does not know', () => {
  const text = '{"plan":"drop all tables","note":"a \\"quoted\\": word, 1","plan":"restart"}'
  const json = JSON.parse(text)
  expect(read({ status: 200, headers, json, text, ms: 1 })).toContain('drop all tables')
  expect(read({ status: 200, headers, json, text: JSON.stringify(json, null, 2), ms: 1 })).not.toContain('text:')
  expect(read({ status: 200, headers, ms: 1, warning: 'disk full' })).toContain('warning: disk full')
})

it('keeps what a target says below its label, also where the name of a member has lines', () => {
  const json = { 'a\nstatus': 200, 'b\nproblem': 'none' }
  const text = JSON.stringify(json)
  expect(read({ status: 503, headers, json, text, ms: 1 })).toBe(
    'status: 503\njson:\n  a\\u{a}status: 200\n  b\\u{a}problem: none',
  )
})
