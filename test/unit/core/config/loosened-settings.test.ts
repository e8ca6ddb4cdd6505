import { describe, expect, it } from 'vitest'
import { loosenedSettings } from '#core/config/loosened-settings.ts'
import { applyEnvironmentFile, SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { Environment } from '#core/environment/environment.ts'
import { EnvironmentFile } from '#core/environment/schema.ts'

type Fields = Omit<EnvironmentFile, 'name' | 'freeze' | 'processes'> & { freeze?: object[]; processes?: object[] }

function environment(fields: Fields, name = 'production'): Environment {
  const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
  return applyEnvironmentFile(seeded, EnvironmentFile.parse({ name, ...fields }))
}

const freeze = (fields: object = {}) => ({
  freeze: [{ name: 'night', cron: '0 22 * * *', duration: '8h', ...fields }],
})

const JOB = { name: 'job', command: '/opt/job' }
const keyOf = (sign: string) => `MCowBQYDK2VwAyEA${sign.repeat(43)}=`
const SIGNED = { task_queue: 'a', attest: keyOf('A') }

describe('loosenedSettings', () => {
  it.each<[string, Fields, Fields, string[]]>([
    ['a raised cap', { cost_gate: { max_usd: 2 } }, { cost_gate: { max_usd: 3 } }, ['cost_gate.max_usd']],
    ['a lowered cap', { cost_gate: { max_usd: 3 } }, { cost_gate: { max_usd: 2 } }, []],
    ['a cap that is left to the class', { cost_gate: { max_usd: 2 } }, {}, ['cost_gate.max_usd']],
    ['a cap above that of the class', {}, { cost_gate: { max_usd: 6 } }, ['cost_gate.max_usd']],
    ['a dropped cap of the day', { cost_gate: { daily_usd: 9 } }, {}, ['cost_gate.daily_usd']],
    ['a first cap of the day', {}, { cost_gate: { daily_usd: 9 } }, []],
    ['a lowered quorum', { approval: { min_approvals: 2 } }, {}, ['approval.min_approvals']],
    ['a raised quorum', {}, { approval: { min_approvals: 2 } }, []],
    ['dropped prevent_self', { approval: { prevent_self: true } }, {}, ['approval.prevent_self']],
    ['magic links', { approval: { links: false } }, {}, ['approval.links']],
    ['a longer ttl', { approval: { ttl_hours: 1 } }, { approval: { ttl_hours: 9 } }, []],
    ['no longer ending runs', { on_lost_standing: 'cancel' }, { on_lost_standing: 'park' }, []],
    ['a dropped policy', { policies: ['a', 'b'] }, { policies: ['b'] }, ['policies']],
    ['one more policy', { policies: ['a'] }, { policies: ['b', 'a'] }, []],
    ['a wider reach', { egress: ['a.test'] }, { egress: ['a.test', '10.0.0.0/8'] }, ['egress']],
    ['a narrower reach', { egress: ['a.test', 'b.test'] }, { egress: ['b.test'] }, []],
    ['one more process', {}, { processes: [JOB] }, ['processes']],
    ['a process with other arguments', { processes: [JOB] }, { processes: [{ ...JOB, rest: '.*' }] }, ['processes']],
    ['a process less', { processes: [JOB] }, {}, []],
    [
      'another task queue',
      { queues: { ml: { task_queue: 'a' } } },
      { queues: { ml: { task_queue: 'b' } } },
      ['queues'],
    ],
    ['a key less', { queues: { ml: SIGNED } }, { queues: { ml: { task_queue: 'a' } } }, ['queues']],
    ['another key', { queues: { ml: SIGNED } }, { queues: { ml: { ...SIGNED, attest: keyOf('B') } } }, ['queues']],
    ['a first key', { queues: { ml: { task_queue: 'a' } } }, { queues: { ml: SIGNED } }, []],
    ['a queue less', { queues: { ml: { task_queue: 'a' } } }, {}, []],
    ['another profile', { profile: 'careful' }, { profile: 'swift' }, ['profile']],
    ['a first profile', {}, { profile: 'careful' }, []],
    ['a dropped freeze', freeze(), {}, ['freeze']],
    ['a renamed freeze', freeze(), freeze({ name: 'dark' }), []],
    ['a shorter freeze', freeze(), freeze({ duration: '7h' }), ['freeze']],
    ['a freeze over more', freeze(), freeze({ scope: 'all' }), []],
    ['a freeze over less', freeze({ scope: 'all' }), freeze(), ['freeze']],
    ['a freeze that somebody may lift', freeze(), freeze({ freeze_approvers: ['cto'] }), ['freeze']],
    ['a freeze that nobody may lift any more', freeze({ freeze_approvers: ['cto'] }), freeze(), []],
    ['one more workspace', { workspaces: ['a'] }, { workspaces: ['a', 'b'] }, ['workspaces']],
    ['a workspace beside the default one', {}, { workspaces: ['default', 'a'] }, ['workspaces']],
    ['all workspaces', { workspaces: ['a', 'b'] }, { workspaces: ['*'] }, ['workspaces']],
    ['one workspace less', { workspaces: ['a', 'b'] }, { workspaces: ['b'] }, []],
    ['no longer all workspaces', { workspaces: ['*'] }, { workspaces: ['a'] }, []],
    ['nobody any more', { workspaces: ['default'] }, { workspaces: [] }, []],
    ['another class', {}, { class: 'sandbox', cost_gate: { max_usd: 5 } }, ['class']],
    ['the class production', { class: 'staging', cost_gate: { max_usd: 5 } }, {}, []],
  ])('%s', (_, before, after, expected) => {
    expect(loosenedSettings(environment(before), environment(after))).toEqual(expected)
  })

  it('of a file that is removed is what it tightened over the default', () => {
    const strict = environment({ approval: { min_approvals: 3, prevent_self: true }, ...freeze() })
    expect(loosenedSettings(strict, undefined)).toEqual(['approval.prevent_self', 'approval.min_approvals', 'freeze'])
    expect(loosenedSettings(environment({ egress: [] }, 'development'), undefined)).toEqual(['egress'])
    expect(loosenedSettings(environment({ class: 'staging' }), undefined)).toEqual(['cost_gate.max_usd'])
  })

  it('of a file that is added is what it loosens over the default', () => {
    expect(loosenedSettings(undefined, environment({ approval: { min_approvals: 3 } }))).toEqual([])
    expect(loosenedSettings(undefined, environment({ class: 'sandbox' }))).toEqual(['class'])
  })

  it('of an environment without a default is compared with what a removed one counts as', () => {
    const edge = environment({ approval: { min_approvals: 2 } }, 'edge')
    expect(loosenedSettings(edge, undefined)).toEqual([])
    expect(loosenedSettings(undefined, edge)).toEqual([
      'cost_gate.max_usd',
      'approval.prevent_self',
      'approval.links',
      'freeze',
    ])
  })
})
