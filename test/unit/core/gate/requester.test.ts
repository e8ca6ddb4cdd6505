import { describe, expect, it } from 'vitest'
import { requestersAndCancellers, withoutRequesters } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json/json.ts'

describe('requestersAndCancellers', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'a person at the console',
      { actor: { type: 'user', id: 'usr_1', display: 'Ann' }, human_root: { user_id: 'usr_1', via: ['console'] } },
      ['usr_1', 'console'],
    ],
    [
      'the one who made the schedule',
      { actor: { type: 'schedule', id: 'sch_1' }, human_root: { user_id: 'usr_1', via: ['sch_1'] } },
      ['sch_1', 'usr_1'],
    ],
    [
      'the person behind a service account that answers an ask',
      { actor: { type: 'service', id: 'svc_1' }, human_root: { via: [{ id: 'ask_1', user_id: 'usr_2' }, 'usr_3'] } },
      ['svc_1', 'ask_1', 'usr_2', 'usr_3'],
    ],
    ['the one who made what started it', { human_root: { via: { type: 'schedule', created_by: 'usr_4' } } }, ['usr_4']],
    ['nobody, in a record that says nothing', { actor: null, human_root: [1], other: 'usr_9' }, []],
  ])('finds %s', (_, provenance, ids) => {
    expect(requestersAndCancellers(provenance)).toEqual(ids)
  })
})

it('a delegation of the one who asked for the run is not to be used', () => {
  const delegations = [
    { of: 'usr_1', roles: ['sre'] },
    { of: 'usr_2', roles: ['dba'] },
  ]
  expect(withoutRequesters(delegations, ['usr_1'])).toEqual([{ of: 'usr_2', roles: ['dba'] }])
})
