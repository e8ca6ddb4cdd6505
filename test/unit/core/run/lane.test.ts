import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laneOf, perLane, type StartFacts } from '#core/run/lane.ts'

const SOURCES = [
  'alert',
  'pattern',
  'ingress',
  'manual',
  'direct',
  'ask',
  'schedule',
  'bus',
  'pipeline',
  'replay',
  'again',
  'retry',
  'new',
]
const CHANNELS = ['api', 'console', 'cli', 'slack', 'system', undefined] as const

const facts: fc.Arbitrary<StartFacts> = fc.record({
  source: fc.constantFrom(...SOURCES),
  wait: fc.constantFrom(true, false, undefined),
  channel: fc.constantFrom(...CHANNELS),
})

describe('laneOf', () => {
  it.each([
    ['alert', {}, 'realtime'],
    ['pattern', {}, 'realtime'],
    ['ingress', {}, 'realtime'],
    ['manual', {}, 'background'],
    ['manual', { wait: true }, 'realtime'],
    ['manual', { channel: 'console' }, 'realtime'],
    ['manual', { channel: 'cli' }, 'background'],
    ['direct', {}, 'background'],
    ['direct', { channel: 'console' }, 'realtime'],
    ['schedule', { wait: true, channel: 'console' }, 'background'],
    ['bus', {}, 'background'],
    ['pipeline', {}, 'background'],
    ['something new', { wait: true }, 'background'],
  ] as const)('a start by %s with %j runs in %s', (source, more, lane) => {
    expect(laneOf({ source, ...more })).toBe(lane)
  })

  it('whoever asks for background gets it, whatever the start is', () => {
    fc.assert(fc.property(facts, (start) => laneOf({ ...start, asked: 'background' }) === 'background'))
  })

  it('asking never raises a start', () => {
    fc.assert(
      fc.property(facts, fc.constantFrom('background' as const, undefined), (start, asked) => {
        const lanes = ['background', 'realtime']
        return lanes.indexOf(laneOf({ ...start, asked })) <= lanes.indexOf(laneOf(start))
      }),
    )
  })
})

describe('perLane', () => {
  it('has a figure for each lane', () => {
    expect(perLane((lane) => lane.length)).toEqual({ realtime: 8, background: 10 })
  })
})
