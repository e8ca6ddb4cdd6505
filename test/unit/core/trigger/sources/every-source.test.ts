import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { normalize, one, refusal } from './normalized.ts'

const page = readFileSync('docs/alerts.md', 'utf8')
const tables = page.split('\n\n').filter((part) => part.startsWith('| Tool |'))
/** the tools whose events have a time of their own, as a sentence names them */
const dated = /Tools that say when each event happened \(([^)]*)\)/.exec(page)?.[1]?.split(', ')

describe.each(ALERT_SOURCES.map((source) => [source.name, source] as const))('the source %s', (name, source) => {
  test('recognises its example and reads an alert from it', () => {
    expect(ALERT_SOURCES.filter(({ fits }) => fits(source.example))).toContain(source)
    expect(normalize(source.example)).toEqual(normalize(source.example, name))
    expect(one(source.example)).toMatchObject({ status: 'firing', symptom: 'HighErrorRate' })
  })

  test('has a row in each table of docs/alerts.md', () => {
    const word = name === 'generic' ? /generic|anything else/ : new RegExp(source.title.split(' ')[0] ?? '')
    expect(tables).toHaveLength(3)
    for (const table of tables)
      expect(
        table.split('\n').map((row) => row.split('|')[1]),
        `add ${source.title} to the table that begins with ${table.split('\n')[0]}`,
      ).toContainEqual(expect.stringMatching(word))
  })

  test('is named in docs/alerts.md among those that date their events, if it does', () => {
    expect(dated?.includes(source.title.split(' ')[0] ?? '')).toBe(source.dates_events === true)
  })

  test('stands among what is known when nothing fits', () => {
    expect(refusal({}).message).toContain(`${name} (${source.recognised_by})`)
    expect(refusal({}).details).toMatchObject({ known: expect.arrayContaining([name]) })
  })
})

test('a payload is normalized or refused with a reason, whichever tool is named', () => {
  const sources = fc.constantFrom(undefined, ...ALERT_SOURCES.map(({ name }) => name))
  const near = fc.constantFrom(...ALERT_SOURCES.map(({ example }) => example))
  const body = fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(
        near,
        fc.dictionary(
          fc.constantFrom('alerts', 'event', 'Message', 'Type', 'title', 'tags', 'Trigger', 'orgId'),
          fc.jsonValue(),
        ),
      )
      .map(([base, changes]) => ({ ...base, ...changes })),
  )
  fc.assert(
    fc.property(body, sources, (payload, source) => {
      try {
        for (const alert of normalize(payload, source).alerts) expect(alert.fingerprint.length).toBeLessThanOrEqual(512)
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError)
      }
    }),
  )
})
