import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CloudEventParts, cloudEvent } from '#core/bus/cloud-event.ts'
import { eventRun, humanRootOf, isLoop, skillChain } from '#core/skill/event-origin.ts'

const RUN = `run_${'0'.repeat(26)}`
const event = (parts: Partial<CloudEventParts>) =>
  cloudEvent({
    id: 'e1',
    source: '/test',
    type: 'run.failed',
    time: '2026-01-01T00:00:00.000Z',
    workspace_id: `ws_${'0'.repeat(26)}`,
    data: {},
    ...parts,
  })

describe('the run that an event is about', () => {
  it.each<Partial<CloudEventParts>>([
    { data: { run_id: RUN } },
    { data: { id: RUN } },
    { subject: RUN },
    { partitionkey: RUN },
    { source: `/workspaces/ws_1/runs/${RUN}` },
  ])('is named in %o', (parts) => expect(eventRun(event(parts))).toBe(RUN))

  it('is the one that published it, no matter what a template says', () => {
    const other = `run_${'1'.repeat(26)}`
    const published = { source: 'svc/packs/shop', data: { run_id: other }, subject: other }
    expect(eventRun(event({ ...published, partitionkey: RUN }))).toBe(RUN)
    expect(eventRun(event(published))).toBeUndefined()
  })

  it('is none when there is only something that looks like one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const data = JSON.parse(JSON.stringify(value ?? null))
        expect([undefined, RUN]).toContain(eventRun(event({ data, subject: `${RUN}x` })))
      }),
    )
  })
})

describe('the chain of skills behind a run', () => {
  it('is empty for runs that no skill started', () => {
    expect(skillChain(undefined)).toEqual([])
    expect(skillChain({ trigger: { type: 'alert' } })).toEqual([])
    expect(skillChain({ trigger: { chain: ['a', 1, null] } })).toEqual(['a'])
  })

  it('lets one skill answer itself three times, no matter what stands between', () => {
    const chains = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(chains, (chain) => {
        expect(isLoop('a', chain)).toBe(chain.filter((each) => each === 'a').length >= 3)
      }),
    )
  })
})

describe('the person behind a skill', () => {
  it('is the one behind the run that the event is about', () => {
    const provenance = { human_root: { user_id: 'usr_1', via: ['api'] } }
    expect(humanRootOf(provenance, 'sre/x')).toEqual({ user_id: 'usr_1', via: ['api', 'skill:sre/x', 'bus'] })
    expect(humanRootOf(undefined, 'sre/x')).toEqual({ via: ['skill:sre/x', 'bus'] })
  })
})
