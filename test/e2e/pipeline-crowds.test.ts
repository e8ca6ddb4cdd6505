import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { poll } from '#platform/embedded/processes.ts'
import { type PaidTarget, startPaidTarget } from '#test/support/paid-target.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'
import { proveLedger } from '#test/support/prove-ledger.ts'
import { publish } from '#test/support/publish.ts'

const CROWD = 100
const BRANCHES = 40
const PAID = 20
/** so many calls of 0.06 fit under the cap of 0.50 */
const FITS = 8
const STORM_TOPICS = 200
const STORM_MS = 4_000

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const NAMED = 'matches: "event.data.name == inputs.name"'
const INPUTS = 'inputs: { type: object, required: [name], properties: { name: { type: string } } }'

const PIPELINES = `
hears:
  title: Hears one
  ${INPUTS}
  steps: [{ id: heard, on: "crowd.told", ${NAMED}, timeout: 2m }]
busy:
  title: Hears one among many
  ${INPUTS}
  steps: [{ id: heard, on: "crowd.>", ${NAMED}, timeout: 2m }]
crowd:
  title: Many hear one
  ${INPUTS}
  steps:
${range(CROWD)
  .map((index) => `    - { id: s${index}, on: crowd.told, ${NAMED}, timeout: 2m }`)
  .join('\n')}
gates:
  title: Many ask
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
${range(BRANCHES)
  .map((index) => {
    const inputs = `{ url: "\${{ inputs.url }}/b${index}", text: "${index}" }`
    return `    - { id: b${index}, uses: desk/act, gate: approval, with: ${inputs}, timeout: 1h, on_failure: continue }`
  })
  .join('\n')}
paid:
  title: Many pay
  max_usd: 0.5
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: list, uses: desk/note, with: { list: [${range(PAID).join(', ')}] }, timeout: 1m }
    - id: pay
      uses: desk/paid
      needs: [list]
      for_each: { items: steps.list.outputs.list, parallel: ${PAID} }
      with: { url: "\${{ inputs.url }}/paid" }
      timeout: 2m
`

const PAID_TEMPLATE = `apiVersion: svc/v1
id: paid
title: Pays
risk: low
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - { id: pay, operator: http.request, with: { method: POST, url: "\${{ inputs.url }}", cost: { llm_usd: 0.06 } } }
`

let world: PipelineService
let target: PaidTarget

beforeAll(async () => {
  target = await startPaidTarget(() => 'late')
  world = await startPipelineService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_BUS: 'postgres', SVC_LANE_BACKGROUND: '20', SVC_RATE_LIMIT: '0' },
    files: { 'packs/desk/templates/paid.yaml': PAID_TEMPLATE },
    pipelines: PIPELINES,
  })
})
afterAll(async () => {
  await world?.stop()
  await target?.stop()
})

const db = () => world.database.db
const tell = (name: string, workspace?: string) => publish(db(), 'crowd.told', [name], workspace)
/** up to where the log has numbers */
const numbered = async () =>
  await poll(async () => (await db()`select from bus_outbox limit 1`).length === 0 || undefined, PATIENCE.timeout)

describe('an event', () => {
  test('that came before the wait is none, one that comes after it is, and one of another workspace never', async () => {
    const { body: other } = await world.call<{ id: string }>('POST', '/workspaces', { slug: 'other', name: 'Other' })
    await tell('one')
    await numbered()
    const id = await world.begin('hears', { name: 'one' })
    await world.step(id, 'heard', 'waiting_event')
    await tell('one', other.id)
    await tell('two')
    const second = await world.begin('hears', { name: 'two again' })
    await world.step(second, 'heard', 'waiting_event')
    await tell('two again')
    await world.ends(second)
    // whatever comes first has been looked at by then
    expect((await world.stands(id)).steps[0]?.state).toBe('waiting_event')
    await tell('one')
    const ended = await world.ends(id)
    expect(ended.steps[0]?.outputs).toMatchObject({ event: { data: { name: 'one' } } })
    const [event] = await db()<{ came_after: boolean }[]>`
      select published_at > ${ended.steps[0]?.started_at ?? ''}::timestamptz as came_after
      from bus_messages where event ->> 'id' = ${heardBy(ended)}`
    expect(event).toEqual({ came_after: true })
  })

  test(`ends the wait of ${CROWD} steps, each once`, async () => {
    const id = await world.begin('crowd', { name: 'all' })
    await world.step(id, `s${CROWD - 1}`, 'waiting_event')
    await tell('nobody')
    await tell('all')
    const ended = await world.ends(id)
    expect(ended.status).toBe('succeeded')
    expect(new Set(ended.steps.map((step) => heardBy(ended, step.id))).size).toBe(1)
    const [fired] = await db()<{ events: number; steps: number }[]>`
      select count(*)::int as events, count(distinct step_id)::int as steps from pipeline_events
      where pipeline_id = ${id} and type = 'step.succeeded'`
    expect(fired).toEqual({ events: CROWD, steps: CROWD })
  })

  test('is found on a busy bus, and the others let the pipelines come to rest', async () => {
    const ids = await Promise.all(range(10).map((index) => world.begin('busy', { name: `mine ${index}` })))
    for (const id of ids) await world.step(id, 'heard', 'waiting_event')
    const until = performance.now() + STORM_MS
    for (let round = 0; performance.now() < until; round += 1)
      await publish(db(), `crowd.t${round % STORM_TOPICS}`, [`noise ${round}`, `noise ${round}`])
    for (const [index] of ids.entries()) await publish(db(), `crowd.mine${index}`, [`mine ${index}`])
    for (const id of ids) expect((await world.ends(id)).status).toBe('succeeded')
    const [noise] = await db()<{ messages: number }[]>`
      select count(*)::int as messages from bus_messages where event #>> '{data,name}' like 'noise%'`
    const [looks] = await db()<
      { most: number }[]
    >`select max(version)::int as most from pipelines where id = any(${ids})`
    // many messages are looked at together
    expect(looks?.most).toBeLessThan((noise?.messages ?? 0) / 10)
  })
})

function heardBy({ steps }: Pipeline, id = 'heard'): string {
  const { event } = (steps.find((step) => step.id === id)?.outputs ?? {}) as { event?: { id: string } }
  return event?.id ?? `${id} heard nothing`
}

describe(`${BRANCHES} branches that ask`, () => {
  const begin = async () => {
    const id = await world.begin('gates', { url: target.url })
    const asking = await world.until<Pipeline>(
      `/pipelines/${id}`,
      ({ steps }) => steps.every(({ state }) => state === 'awaiting_approval'),
      90_000,
    )
    return { id, asking }
  }
  const gatesOf = ({ steps }: Pipeline) => steps.flatMap(({ gate_id }) => gate_id ?? [])
  const listed = async () => {
    const { body } = await world.call<{ gate_id: string }[]>('GET', '/approvals?limit=200')
    return body.map(({ gate_id }) => gate_id)
  }

  test('are all listed, each is answered by itself, and none hides another', async () => {
    const { id, asking } = await begin()
    expect(asking.status).toBe('blocked')
    const gates = gatesOf(asking)
    expect(new Set(gates).size).toBe(BRANCHES)
    expect(await listed()).toEqual(expect.arrayContaining(gates))
    const decided = await Promise.all(
      range(BRANCHES).map((index) => {
        const decision = index % 2 === 0 ? 'approve' : 'reject'
        return world.call('POST', `/pipelines/${id}/steps/b${index}/approve`, { decision, gate_id: gates[index] })
      }),
    )
    expect(decided.map(({ status }) => status)).toEqual(range(BRANCHES).map(() => 200))
    const ended = await world.ends(id, 90_000)
    expect(ended.status).toBe('succeeded')
    expect(ended.steps.map(({ state }) => state)).toEqual(
      range(BRANCHES).map((index) => (index % 2 === 0 ? 'succeeded' : 'rejected')),
    )
    const paths = range(BRANCHES).filter((index) => target.received.by_path.has(`/b${index}`))
    expect(paths).toEqual(range(BRANCHES).filter((index) => index % 2 === 0))
  })

  test('leave no gate open when the pipeline is cancelled while half of them are', async () => {
    const { id, asking } = await begin()
    const gates = gatesOf(asking)
    for (const index of range(BRANCHES / 2))
      await world.call('POST', `/pipelines/${id}/steps/b${index}/approve`, {
        decision: 'reject',
        gate_id: gates[index],
      })
    expect((await world.call('POST', `/pipelines/${id}/cancel`, { reason: 'enough' })).status).toBe(202)
    const ended = await world.ends(id, 90_000)
    expect(ended.status).toBe('cancelled')
    expect(new Set(ended.steps.map(({ state }) => state))).toEqual(new Set(['rejected', 'cancelled']))
    const open = await db()`select from gates where id = any(${gates}) and status = 'open'`
    expect(open).toHaveLength(0)
    const over = await db()`select from runs where pipeline_id = ${id} and ended_at is null`
    expect(over).toHaveLength(0)
    expect(await listed()).toEqual(expect.not.arrayContaining(gates))
  })
})

test(`${PAID} parallel runs that pay never overshoot the cap of their pipeline`, async () => {
  const id = await world.begin('paid', { url: target.url })
  const ended = await world.ends(id)
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'BudgetExceeded' }, cap_usd: 0.5, reserved_usd: 0 })
  const sent = target.received.by_path.get('/paid') ?? 0
  expect(sent).toBe(FITS)
  expect(ended.total_usd).toBeCloseTo(FITS * 0.06, 6)
  const runs = ended.steps.find((step) => step.id === 'pay')?.runs ?? []
  const refused = runs.filter(({ status }) => status === 'failed')
  expect(refused).toHaveLength(PAID - FITS)
  for (const { run_id } of refused) {
    const { body } = await world.call('GET', `/runs/${run_id}`)
    const message = expect.stringContaining("does not fit under the pipeline's cap of 0.5 USD")
    expect(body).toMatchObject({ error: { code: 'BudgetExceeded', message } })
  }
  for (const { run_id } of runs) await proveLedger(db(), run_id)
})
