import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Pipeline } from '#core/pipeline/schema.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { type EffectTarget, startEffectTarget } from '#test/support/effect-target.ts'
import { AUTH_ENV, createIdentities, type Identities, letAnswer, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'
import type { RunBody } from '#test/support/recovery.ts'

const ENVIRONMENT = (name: string, more: string) => `name: ${name}\nclass: development\negress: [loopback]\n${more}`
const POLICY = (name: string, environment: string, rule: string) =>
  `name: ${name}\napplies_to: { environments: [${environment}], capabilities: ["http.egress"] }\nrules: [${rule}]\n`

const act = (id: string, more = '') =>
  `{ id: ${id}, uses: desk/act, with: { url: "\${{ inputs.url }}/${id}" }, timeout: 5m${more} }`
const PIPELINES = ['none', 'manual', 'approval']
  .map(
    (gate) => `
${gate}:
  title: With gate ${gate}
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps: [${act('act', `, gate: ${gate}`)}]`,
  )
  .join('')
const LATER = `
later:
  title: Acts a moment later
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps: [{ id: rest, schedule: 1500ms }, ${act('act', ', needs: [rest]')}]
`

const SHAPED = `
heard:
  title: Does what an event says
  steps:
    - { id: heard, on: pack.desk.said, timeout: 5m }
    - { id: act, uses: desk/act, needs: [heard], with: { url: "\${{ steps.heard.outputs.event.data.name }}" }, timeout: 5m }
after:
  title: Does what a step before it says
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: note, uses: desk/note, gate: manual, with: { text: "\${{ inputs.url }}" }, timeout: 5m }
    - { id: act, uses: desk/act, needs: [note], with: { url: "\${{ steps.note.outputs.text }}" }, timeout: 5m }
moved:
  title: Takes back what it has moved
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: act, uses: desk/move, with: { url: "\${{ inputs.url }}" }, compensate: desk/unmove, timeout: 5m }
    - { id: bad, uses: desk/fail, needs: [act], on_failure: compensate, timeout: 5m }
waits:
  title: Takes back what it has moved when it is cancelled
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: act, uses: desk/move, with: { url: "\${{ inputs.url }}" }, compensate: desk/unmove, timeout: 5m }
    - { id: rest, schedule: 20d, needs: [act] }
held:
  title: Takes back what it has moved when a run of it is cancelled
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: act, uses: desk/move, with: { url: "\${{ inputs.url }}" }, compensate: desk/unmove, timeout: 5m }
    - { id: rest, uses: desk/rest, needs: [act], with: { for: 5m }, on_failure: compensate, timeout: 10m }
`
const MOVING = (id: string, where: string) => `apiVersion: svc/v1
id: ${id}
title: ${id}
risk: low
inputs: { type: object, required: [url], properties: { url: { type: string }, where: { type: string, default: ${where} } } }
steps: [{ id: post, operator: http.request, with: { method: POST, url: "\${{ inputs.url }}/${id}/\${{ inputs.where }}" } }]
`

let world: PipelineService
let target: EffectTarget
let identities: Identities
let starter: Member
let approver: Member
let both: Member

beforeAll(async () => {
  target = await startEffectTarget()
  world = await startPipelineService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { ...AUTH_ENV, SVC_BUS: 'postgres' },
    files: {
      'packs/desk/templates/move.yaml': MOVING('move', 'there'),
      'packs/desk/templates/unmove.yaml': MOVING('unmove', 'elsewhere'),
      'environments/asks.yaml': ENVIRONMENT('asks', 'approval: { prevent_self: true }\n'),
      'environments/pair.yaml': ENVIRONMENT('pair', 'approval: { min_approvals: 2, prevent_self: true }\n'),
      'environments/shut.yaml': ENVIRONMENT('shut', ''),
      'environments/strict.yaml': ENVIRONMENT('strict', 'on_lost_standing: cancel\n'),
      'environments/brittle.yaml': ENVIRONMENT(
        'brittle',
        'approval: { prevent_self: true }\non_lost_standing: cancel\n',
      ),
      'policies/asks.yaml': POLICY(
        'asks',
        'asks, pair, brittle',
        '{ effect: require_hitl, reason: it acts, approval_role: sre }',
      ),
      'policies/shut.yaml': POLICY('shut', 'shut', '{ effect: deny, reason: not here }'),
    },
    pipelines: PIPELINES + LATER + SHAPED,
  })
  identities = await createIdentities(world)
  starter = await identities.add('starter', { roles: ['operator'] })
  approver = await identities.add('approver', { roles: ['approver'], approval_roles: ['sre'] })
  both = await identities.add('both', { roles: ['operator', 'approver'], approval_roles: ['sre'] })
})
afterAll(async () => {
  await world?.stop()
  await target?.stop()
})

const owner = () => identities.owner.headers

async function begin(
  name: string,
  environment: string,
  { headers }: Pick<Member, 'headers'>,
  inputs: object = { url: target.url },
): Promise<string> {
  const body = { bundle_path: 'desk', pipeline_name: name, inputs, environment }
  const started = await world.call<{ pipeline_id: string }>('POST', '/pipelines/run', body, headers)
  expect(started.status, JSON.stringify(started.body)).toBe(202)
  return started.body.pipeline_id
}

const until = (id: string, done: (pipeline: Pipeline) => boolean) =>
  world.until<Pipeline>(`/pipelines/${id}`, done, PATIENCE.timeout, owner())
const inState = (id: string, state: string) => until(id, ({ steps }) => steps.some((each) => each.state === state))
const ends = (id: string) => until(id, ({ ended_at }) => ended_at !== undefined)
const advance = (id: string, body: object, { headers }: Member) =>
  world.call('POST', `/pipelines/${id}/steps/act/advance`, body, headers)
const approve = (id: string, { headers }: Pick<Member, 'headers'>, body: object = {}) =>
  world.call<{ code?: string }>('POST', `/pipelines/${id}/steps/act/approve`, body, headers)

async function pendingOf(runId: string): Promise<PendingApproval> {
  await world.until<RunBody>(
    `/runs/${runId}`,
    ({ status }) => status === 'awaiting_approval',
    PATIENCE.timeout,
    owner(),
  )
  return (await world.call<PendingApproval>('GET', `/runs/${runId}/pending-approval`, undefined, owner())).body
}

/** The run of the step, once it asks. */
async function askingRun(id: string): Promise<string> {
  const { steps } = await inState(id, 'awaiting_approval')
  return steps.find(({ state }) => state === 'awaiting_approval')?.run_id ?? ''
}

describe('a pipeline loosens nothing', () => {
  const directly = (environment: string) => {
    const body = { inputs: { url: `${target.url}/direct` }, environment }
    return world.call<RunBody & { code: string }>('POST', '/packs/desk/act/run', body, starter.headers)
  }

  test.each(['asks', 'pair'])(
    'in %s its runs ask for at least what the same template asks for directly',
    async (environment) => {
      const direct = await pendingOf((await directly(environment)).body.id)
      for (const gate of ['none', 'manual', 'approval']) {
        const id = await begin(gate, environment, starter)
        if (gate === 'manual') {
          await inState(id, 'ready')
          expect((await advance(id, {}, starter)).status).toBe(202)
        }
        const child = await pendingOf(await askingRun(id))
        expect(child.because).toEqual(expect.arrayContaining(direct.because))
        expect(child.required.approvals).toBeGreaterThanOrEqual(direct.required.approvals)
        expect(child.required.approval_roles).toEqual(expect.arrayContaining(direct.required.approval_roles))
        expect(child.required.prevent_self).toBe(direct.required.prevent_self)
        if (gate === 'approval') expect(child.because).toContain('the pack requires approval for this step')
      }
    },
  )

  test('what is denied directly is denied in a pipeline, no matter what its gate', async () => {
    const direct = await directly('shut')
    const code = direct.status === 202 ? undefined : direct.body.code
    for (const gate of ['none', 'approval']) {
      const id = await begin(gate, 'shut', starter)
      const { status, error } = await ends(id)
      expect(status).toBe('failed')
      expect(error?.code).toBe(code ?? 'PolicyDenied')
    }
    expect(target.calls).toEqual([])
  })
})

describe('nobody approves what they have asked for', () => {
  const refused = async (id: string, who: Pick<Member, 'headers'>, body: object = {}) => {
    expect(await approve(id, who, body)).toMatchObject({ status: 403 })
    expect((await until(id, () => true)).status).toBe('blocked')
  }
  const passes = async (id: string) => {
    expect((await approve(id, approver)).status).toBe(200)
    expect((await ends(id)).status).toBe('succeeded')
  }

  test('the one who started the pipeline', async () => {
    const id = await begin('none', 'asks', both)
    await askingRun(id)
    await refused(id, both)
    await passes(id)
  })

  test('a service account that started it, by whatever key', async () => {
    const robot = await identities.add('robot', {
      roles: ['service', 'admin'],
      scopes: ['runs:read', 'runs:start', 'approvals:on_behalf'],
    })
    const keys = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const scopes = ['runs:read', 'runs:start', 'approvals:on_behalf', 'admin']
        const body = { name, account: robot.email, scopes }
        const { status, body: made } = await world.call<{ token: string }>('POST', '/admin/api-keys', body, owner())
        expect(status, JSON.stringify(made)).toBe(201)
        return { headers: { authorization: `Bearer ${made.token}` } }
      }),
    )
    const [first = robot, second = robot] = keys
    const id = await begin('none', 'asks', first)
    await askingRun(id)
    // in the name of somebody who may, too: it is one person
    await letAnswer(world, robot, approver)
    for (const key of [first, second]) await refused(id, key, { approver: approver.email })
    await passes(id)
  })

  test('the one who cancelled it, of what takes it back, also through a program', async () => {
    const key = { roles: ['service', 'operator'], scopes: ['runs:start', 'approvals:on_behalf'] }
    const program = await identities.add('canceller', key)
    for (const who of [both, program]) {
      const id = await begin('waits', 'asks', starter)
      await askingRun(id)
      // of the run itself they have not asked
      expect((await approve(id, both)).status).toBe(200)
      await inState(id, 'waiting_timer')
      expect((await world.call('POST', `/pipelines/${id}/cancel`, {}, who.headers)).status).toBe(202)
      const { steps } = await until(id, (pipeline) => pipeline.steps[0]?.gate_id !== undefined)
      const { gate_id, runs = [] } = steps[0] ?? {}
      const run = runs.find(({ role }) => role === 'compensation')?.run_id ?? ''
      const [asked] = await world.database.db<{ by: string[]; reason: string }[]>`
        select provenance #> '{human_root,cancelled_by}' as by, reason from runs where id = ${run}`
      expect(asked?.reason).toMatch(/^takes back the step act, because the pipeline is cancelled: /)
      const behind = who === program ? [program.id, identities.owner.id] : [both.id]
      expect(asked?.by).toEqual(expect.arrayContaining(behind))
      const own = who === program ? identities.owner : both
      const code = await approve(id, own, { gate_id })
      expect(code).toMatchObject({ status: 403, body: { code: 'self_approval' } })
      expect((await approve(id, approver, { gate_id })).status).toBe(200)
      expect((await ends(id)).status).toBe('cancelled')
    }
  })

  test('the one who cancelled a run of it, of what is taken back because of that', async () => {
    const id = await begin('held', 'asks', starter)
    await askingRun(id)
    expect((await approve(id, approver)).status).toBe(200)
    const { steps } = await until(id, (pipeline) => pipeline.steps[1]?.runs[0]?.status === 'running')
    expect((await world.call('POST', `/runs/${steps[1]?.run_id}/cancel`, {}, both.headers)).status).toBe(202)
    const { gate_id } = (await until(id, (pipeline) => pipeline.steps[0]?.gate_id !== undefined)).steps[0] ?? {}
    expect(await approve(id, both, { gate_id })).toMatchObject({ status: 403, body: { code: 'self_approval' } })
    expect((await approve(id, approver, { gate_id })).status).toBe(200)
    expect((await ends(id)).steps[0]?.runs.at(-1)).toMatchObject({ role: 'compensation', status: 'succeeded' })
  })

  test('the one who cancelled may be gone when it is taken back: that is done all the same', async () => {
    const leaver = await identities.add('quitter', {
      roles: ['service', 'operator'],
      scopes: ['runs:read', 'runs:start'],
    })
    const asked = { name: 'ci', account: leaver.email, scopes: ['runs:read', 'runs:start'] }
    const { body: key } = await world.call<{ id: string; token: string }>('POST', '/admin/api-keys', asked, owner())
    const id = await begin('waits', 'brittle', starter)
    await askingRun(id)
    expect((await approve(id, approver)).status).toBe(200)
    await inState(id, 'waiting_timer')
    const bearer = { authorization: `Bearer ${key.token}` }
    expect((await world.call('POST', `/pipelines/${id}/cancel`, {}, bearer)).status).toBe(202)
    const { gate_id } = (await until(id, (pipeline) => pipeline.steps[0]?.gate_id !== undefined)).steps[0] ?? {}
    expect((await world.call('DELETE', `/admin/api-keys/${key.id}`, undefined, owner())).status).toBe(204)
    expect((await approve(id, approver, { gate_id })).status).toBe(200)
    expect((await ends(id)).steps[0]?.runs.at(-1)).toMatchObject({ role: 'compensation', status: 'succeeded' })
  })

  test('the one who gave inputs to a step before it that shape its own, also through a program', async () => {
    const shaped = await begin('after', 'asks', starter)
    await inState(shaped, 'ready')
    const inputs = { text: `${target.url}/mine` }
    const advanced = await world.call('POST', `/pipelines/${shaped}/steps/note/advance`, { inputs }, both.headers)
    expect(advanced.status).toBe(202)
    await askingRun(shaped)
    await refused(shaped, both)
    await passes(shaped)
    const program = await identities.add('program', { roles: ['service', 'operator'], scopes: ['runs:start'] })
    const id = await begin('manual', 'asks', starter)
    await inState(id, 'ready')
    expect((await advance(id, { inputs: { text: 'mine' } }, program)).status).toBe(202)
    const run = await askingRun(id)
    const [asked] = await world.database.db<{ ids: string[] }[]>`
      select requesters_of(provenance) as ids from runs where id = ${run}`
    // anyone who stands behind the program has asked for it, too
    expect(asked?.ids).toEqual(expect.arrayContaining([starter.id, program.id, identities.owner.id]))
    await passes(id)
  })

  test('the one who published the event that shapes it', async () => {
    const id = await begin('heard', 'asks', starter, {})
    await inState(id, 'waiting_event')
    const body = { inputs: { name: `${target.url}/told` } }
    expect((await world.call('POST', '/packs/desk/tell/run', body, both.headers)).status).toBe(202)
    await askingRun(id)
    await refused(id, both)
    await passes(id)
  })

  test('the one who gave inputs of their own to the step, but who only let it begin may', async () => {
    const shaped = await begin('manual', 'asks', starter)
    await inState(shaped, 'ready')
    expect((await advance(shaped, { inputs: { text: 'mine' } }, both)).status).toBe(202)
    await askingRun(shaped)
    await refused(shaped, both)
    await passes(shaped)
    const plain = await begin('manual', 'asks', starter)
    await inState(plain, 'ready')
    expect((await advance(plain, { note: 'go' }, both)).status).toBe(202)
    await askingRun(plain)
    expect((await approve(plain, both)).status).toBe(200)
    expect((await ends(plain)).status).toBe('succeeded')
  })
})

test('a compensation acts where the run has acted, no matter what its own defaults say', async () => {
  const before = target.effects().length
  const { status } = await ends(await begin('moved', 'development', starter))
  expect(status).toBe('failed')
  const paths = target.effects().map(({ path }) => path)
  expect(paths.slice(before).filter((path) => path.includes('move/'))).toEqual(['/move/there', '/unmove/there'])
})

test('an answer that names no gate takes nothing back', async () => {
  const id = await begin('moved', 'asks', starter)
  await askingRun(id)
  expect((await approve(id, approver)).status).toBe(200)
  const isAsking = ({ role, gate_id }: Pipeline['steps'][number]['runs'][number]) =>
    role === 'compensation' && gate_id !== undefined
  const { steps } = await until(id, (pipeline) => pipeline.steps[0]?.runs.some(isAsking) === true)
  const gate_id = steps[0]?.runs.find(isAsking)?.gate_id
  // the same answer once more, by somebody who has not seen the other gate
  expect(await approve(id, approver)).toMatchObject({ status: 409, body: { code: 'conflict', gates: [{ gate_id }] } })
  expect((await approve(id, approver, { gate_id })).status).toBe(200)
  expect((await ends(id)).status).toBe('failed')
})

describe('what stops a run stops it in a pipeline, too', () => {
  test('a halt holds its runs back until it is lifted', async () => {
    const id = await begin('later', 'development', starter)
    const scope = { template: 'desk/act' }
    const set = await world.call<{ id: string }>('POST', '/console/api/halts', { scope, reason: 'a drill' }, owner())
    expect(set.status).toBe(201)
    const held = await until(id, ({ steps }) => steps[1]?.reason === 'halted')
    expect(held.steps[1]).toMatchObject({ state: 'running' })
    const calls = target.calls.length
    expect((await world.call('DELETE', `/console/api/halts/${set.body.id}`, undefined, owner())).status).toBe(204)
    // it does not wait for its next try
    const put_off = await world.database.db`
      select from pipeline_children where pipeline_id = ${id} and status = 'starting' and not_before > now()`
    expect(put_off).toHaveLength(0)
    expect((await ends(id)).status).toBe('succeeded')
    expect(target.calls.length).toBe(calls + 1)
  })

  test('the one who started it may do nothing any more', async () => {
    const leaver = await identities.add('leaver', { roles: ['operator'] })
    const id = await begin('later', 'strict', leaver)
    const lost = await world.call('PATCH', `/admin/users/${leaver.id}`, { status: 'disabled' }, owner())
    expect(lost.status).toBe(200)
    const calls = target.calls.length
    const { status, steps } = await ends(id)
    expect(status).toBe('failed')
    expect(steps[1]?.state).not.toBe('succeeded')
    expect(target.calls.length).toBe(calls)
  })
})
