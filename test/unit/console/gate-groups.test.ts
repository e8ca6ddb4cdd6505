import { describe, expect, test } from 'vitest'
import type { Schema } from '#client/create-client.ts'
import { evidenceText } from '#client/gate-text.ts'
import {
  areSame,
  commonEnds,
  commonText,
  commonWords,
  confirmedText,
  cutAt,
  entriesOf,
  isRemarked,
  namesOf,
  newerOf,
  stateOf,
  takes,
  withShown,
  wordsOf,
  worstOf,
} from '../../../console/src/features/gates/groups.ts'
import { GATE_GROUPS } from '../../../console/src/strings/gate-groups.ts'

type Gate = Schema<'WaitingGate'>

const gate = (name: string, more: Partial<Gate> = {}) =>
  ({
    run_id: `run_${name}`,
    gate_id: `gate_${name}`,
    kind: 'approval',
    pack: 'sre',
    template: 'recovery',
    step: 'act',
    action_type: 'service.restart',
    environment: 'staging',
    environment_class: 'staging',
    risk: 'medium',
    plan_hash: `sha256:${name}`,
    summary: `POST https://${name}.example/restart`,
    you_may: ['approve', 'reject'],
    acknowledged: [],
    evidence: [],
    comment_count: 0,
    ...more,
  }) as Gate
const alertOf = (
  service: string,
  severity: 'critical' | 'high' | 'medium' = 'medium',
  title = `${service} is down`,
) => ({
  alert: { title, severity, service },
})
const THREE = [gate('a'), gate('b'), gate('c')]
const idsOf = (gates: Gate[], alone?: string) =>
  entriesOf(gates, alone).map(({ id, group }) => group?.gates.map(({ run_id }) => run_id) ?? id)

test('the gravest of critical and high alerts among gates is said with its number', () => {
  const gates = [gate('a', alertOf('a', 'high')), gate('b', alertOf('b')), gate('c', alertOf('c', 'high')), gate('d')]
  expect(worstOf(gates)).toEqual({ severity: 'high', count: 2 })
  expect(worstOf([...gates, gate('e', alertOf('e', 'critical'))])).toEqual({ severity: 'critical', count: 1 })
  expect(worstOf([gate('b', alertOf('b')), gate('d')])).toBeUndefined()
})

describe('equal gates', () => {
  test('are one line, where the first of them stood', () => {
    const other = gate('x', { environment: 'production' })
    expect(idsOf([other, ...THREE, gate('y', { risk: 'low' })])).toEqual([
      'run_x',
      ['run_a', 'run_b', 'run_c'],
      'run_y',
    ])
    expect(idsOf(THREE.slice(1))).toEqual(['run_b', 'run_c'])
    const [critical, high] = [alertOf('till', 'critical'), alertOf('till', 'high')]
    expect(idsOf([gate('a', alertOf('till')), gate('b', high), gate('c', critical)]), 'critical alerts first').toEqual([
      ['run_c', 'run_b', 'run_a'],
    ])
    const urgent = gate('y', { ...high, risk: 'low' })
    expect(idsOf([other, ...THREE.slice(1), urgent, gate('d', critical)]), 'where its most urgent gate stands').toEqual(
      [['run_d', 'run_b', 'run_c'], 'run_y', 'run_x'],
    )
    expect(idsOf(THREE, 'run_b')).toEqual(['run_a', 'run_b', 'run_c'])
  })

  test.each<Partial<Gate>>([
    { kind: 'outcome_unknown' },
    { kind: 'standing_lost' },
    { trigger: 'retry' },
    { template: 'another' },
    { pack: 'another' },
    { step: 'another' },
    { action_type: 'another' },
    { environment: 'another' },
    { environment_class: 'production' },
    { risk: 'high' },
  ])('are not equal where one has another %o', (more) => {
    expect(idsOf([...THREE.slice(1), gate('a', more)])).toEqual(['run_b', 'run_c', 'run_a'])
    // those that ask something of their own are in no group, however many
    const asks = THREE.map((each) => ({ ...each, ...more }))
    expect(idsOf(asks)).toHaveLength(more.kind === undefined ? 1 : 3)
  })

  test('stay as they were shown: what leaves stays, what comes later is not in it', () => {
    const [entry] = entriesOf(THREE)
    const shown = { id: entry?.id ?? '', rows: THREE, place: 0 }
    const later = gate('d')
    for (const now of [[...THREE, later], [gate('b'), later], []]) {
      const entries = withShown(entriesOf(now), shown)
      expect(entries.find(({ id }) => id === shown.id)?.group?.gates).toEqual(THREE)
      expect(entries.some(({ id }) => id === 'run_b')).toBe(false)
    }
    expect(newerOf(shown, [...THREE, later, gate('e', { risk: 'high' })])).toEqual([later])
  })

  test('take an answer only as they were shown, and only from those who may', () => {
    const row = gate('a')
    const replanned = gate('a', { plan_hash: 'sha256:other' })
    const another = gate('a', { gate_id: 'gate_z' })
    expect([stateOf(row, THREE), stateOf(row, [replanned]), stateOf(row, [another]), stateOf(row, [])]).toEqual([
      'waits',
      'changed',
      'changed',
      'left',
    ])
    expect([takes(row, THREE, 'approve'), takes(row, [replanned], 'approve'), takes(row, [])]).toEqual([
      true,
      false,
      false,
    ])
    const frozen = [gate('a', { you_may: ['reject'] })]
    expect([takes(row, frozen, 'approve'), takes(row, frozen, 'reject'), takes(row, frozen)]).toEqual([
      false,
      true,
      true,
    ])
  })
})

test('names what equal gates are about: services and reasons, or the problems of one service', () => {
  const about = (...gates: Gate[]) => GATE_GROUPS.names(namesOf(gates))
  const services = ['checkout', 'basket', 'till', 'search', 'till'].map((name) => gate(name, alertOf(name)))
  expect(about(...services)).toBe('checkout, basket and 2 more')
  expect(about(...services.slice(0, 3))).toBe('checkout, basket and till')
  expect(about(gate('a', alertOf('till', 'high', 'disk full')), gate('b', alertOf('till', 'high', 'slow')))).toBe(
    'disk full and slow',
  )
  expect(about(gate('a', alertOf('till')), gate('b', { reason: 'asked by hand' }))).toBe('till and asked by hand')
  expect(about(gate('a', { reason: 'one reason' }), gate('b', { reason: 'one reason' }))).toBe('one reason')
  expect(about(gate('a', { reason: '\u202egnp' }))).toBe('\\u{202e}gnp')
  expect(namesOf(THREE)).toEqual([])
})

test('says what texts have in common, and what differs, by whole characters', () => {
  const texts = ['restart 🐙one now', 'restart 🐡two now']
  expect(texts.map((text) => cutAt(text, commonEnds(texts)))).toEqual([
    ['restart ', '🐙one', ' now'],
    ['restart ', '🐡two', ' now'],
  ])
  expect(cutAt('aa', commonEnds(['aa', 'aaa']))).toEqual(['aa', '', ''])
  expect(commonText(texts)).toBe('restart … now')
  expect(commonText(['same', 'same'])).toBe('same')
  expect(commonText(['one', 'two'])).toBe('')
})

test('what was found is one line, and what most of the findings say is told from what few do', () => {
  const found = (reason: string) => [{ title: 'Ask', excerpt: `status: 503\njson:\n  reason: ${reason}` }]
  const gates = ['out_of_memory', 'out_of_memory', 'pool held by payments-3'].map((reason) =>
    gate(reason, { evidence: found(reason) }),
  )
  const texts = gates.map(evidenceText)
  expect(texts[2]).toBe('status: 503 · reason: pool held by payments-3')
  const common = commonWords(texts)
  const rare = texts.map((text) => wordsOf(text).filter((word) => !common.has(word)))
  expect(rare).toEqual([[], [], ['pool', 'held', 'by', 'payments-3']])
  expect(evidenceText(gate('a'))).toBe('')
})

test('a gate that others look at, or with a comment, is chosen only by itself', () => {
  const looks = (by: string) => ({ acknowledged: [{ by, name: by, at: '2026-01-01T00:00:00Z' }] })
  const marks = [{}, looks('usr_me'), looks('usr_other'), { comment_count: 1 }]
  expect(marks.map((more) => isRemarked(gate('a', more), 'usr_me'))).toEqual([false, false, true, true])
})

test('what is confirmed tells gates apart that have one summary and do different things', () => {
  const summary = 'POST https://a.example/run'
  const body = (text: string) => `curl -X POST 'https://a.example/run' --data '${text}'`
  const gates = [
    gate('a', { summary, command: body('restart') }),
    gate('b', { summary, command: body('drop') }),
    gate('c', { command: body('restart') }),
  ]
  expect(gates.map((each) => confirmedText(each, gates))).toEqual([
    `${summary}\n${body('restart')}`,
    `${summary}\n${body('drop')}`,
    'POST https://c.example/restart',
  ])
})

test('gates are the same only with one plan, and asked for one reason', () => {
  const same = { plan_hash: 'sha256:one', summary: 'POST /restart' }
  const all = [gate('a', same), gate('b', same)]
  expect(areSame(all)).toBe(true)
  const evidence = [{ title: 'Ask', excerpt: 'status: 503' }]
  for (const more of [{ plan_hash: 'sha256:two' }, { summary: 'POST /other' }, { reason: 'another' }, { evidence }])
    expect(areSame([...all, gate('c', { ...same, ...more })])).toBe(false)
})
