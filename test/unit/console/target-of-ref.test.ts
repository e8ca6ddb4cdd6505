import { describe, expect, test } from 'vitest'
import { nameOfRef, targetOfRef } from '../../../console/src/lib/target-of-ref.ts'

describe('what an answer cites leads to the page that shows it', () => {
  test.each([
    ['/runs/run_1', { to: '/runs/$id', params: { id: 'run_1' } }],
    ['/runs/run_1/steps/act%2Fnow', { to: '/runs/$id', params: { id: 'run_1' } }],
    ['/runs?status=failed&limit=5', { to: '/runs', search: { status: 'failed' } }],
    ['/pipelines/pl_1', { to: '/pipelines/$id', params: { id: 'pl_1' } }],
    ['/packs', { to: '/start', search: {} }],
    [
      '/packs/sre/alert-triage/contract',
      { to: '/start/$pack/$template', params: { pack: 'sre', template: 'alert-triage' } },
    ],
    ['/triggers/scheduled/sch_1/fires', { to: '/triggers', search: { part: 'schedules' } }],
    ['/console/api/audit?category=ask', { to: '/audit', search: { category: 'ask' } }],
    ['/console/api/halts', { to: '/admin', search: { part: 'halts' } }],
    [
      '/ui/api/knowledge/cor_1/passage?path=a%20b.md&line=3&digest=sha256%3A0',
      { to: '/knowledge/$id', params: { id: 'cor_1' }, search: { path: 'a b.md', line: '3', digest: 'sha256:0' } },
    ],
    ['/ui/api/knowledge/cor_1', { to: '/knowledge' }],
  ])('%s', (ref, place) => {
    expect(targetOfRef(ref)).toEqual(place)
  })

  test.each(['https://evil.example', '//evil.example/runs', 'javascript:alert(1)', '/else', '', '/%E0%A4%A'])(
    '%s leads nowhere',
    (ref) => {
      expect(targetOfRef(ref)).toBeUndefined()
    },
  )
})

test('a chunk is named by its document and line, and everything else by its path', () => {
  expect(nameOfRef('/ui/api/knowledge/cor_1/passage?path=a%20b.md&line=3&digest=sha256%3A0')).toBe('a b.md:3')
  expect(nameOfRef('/ui/api/knowledge/cor_1')).toBe('/ui/api/knowledge/cor_1')
  expect(nameOfRef('/runs?path=a.md&line=3')).toBe('/runs?path=a.md&line=3')
})
