import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'

const PIPELINES = `
line:
  title: One after the other
  inputs: { type: object, properties: { text: { type: string, default: hello } } }
  steps:
    - { id: first, uses: desk/note, with: { text: "\${{ inputs.text }}" }, timeout: 1m }
    - { id: rest, schedule: 200ms, needs: [first] }
    - { id: second, uses: desk/note, needs: [rest], with: { text: "\${{ steps.first.outputs.text }} again" }, timeout: 1m }
  outputs: { text: "\${{ steps.second.outputs.text }}" }
branches:
  title: Side by side
  steps:
    - { id: list, uses: desk/note, with: { list: [a, b, c, d, e] }, timeout: 1m }
    - { id: each, uses: desk/note, needs: [list], for_each: { items: steps.list.outputs.list, parallel: 2 }, with: { text: "\${{ item }}\${{ index }}" }, timeout: 1m }
    - { id: never, uses: desk/note, needs: [list], when: "size(steps.list.outputs.list) == 0", timeout: 1m }
    - { id: after, uses: desk/note, needs: [never], timeout: 1m }
    - { id: join, uses: desk/note, needs: [each, never], with: { text: "\${{ steps.each.outputs.items[4].text }}" }, timeout: 1m }
  outputs: { text: "\${{ steps.join.outputs.text }}" }
manual:
  title: By hand
  steps:
    - { id: hold, uses: desk/note, gate: manual, with: { text: written }, timeout: 1h }
approval:
  title: With an approval
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: act, uses: desk/act, gate: approval, with: { url: "\${{ inputs.url }}", text: once }, timeout: 1h }
undo:
  title: Taken back
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: one, uses: desk/act, with: { url: "\${{ inputs.url }}/one", text: one }, compensate: desk/act, timeout: 1m }
    - { id: two, uses: desk/act, needs: [one], with: { url: "\${{ inputs.url }}/two", text: two }, compensate: desk/act, timeout: 1m }
    - { id: read, uses: desk/note, needs: [two], compensate: desk/note, timeout: 1m }
    - { id: three, uses: desk/fail, needs: [read], on_failure: compensate, timeout: 1m }
    - { id: late, uses: desk/note, needs: [three], timeout: 1m }
events:
  title: An event
  steps:
    - { id: heard, on: "pack.desk.>", matches: event.data.name == "mine", look_back: 1m, timeout: 1m }
    - { id: say, uses: desk/note, needs: [heard], with: { text: "\${{ steps.heard.outputs.event.data.name }}" }, timeout: 1m }
  outputs: { text: "\${{ steps.say.outputs.text }}" }
slow:
  title: Too slow
  steps:
    - { id: rest, uses: desk/rest, with: { for: 1h }, timeout: 1s }
`

let world: PipelineService
let target: Server
let url: string
const seen: string[] = []

beforeAll(async () => {
  target = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.end('{}')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  world = await startPipelineService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_BUS: 'postgres' },
    pipelines: PIPELINES,
  })
})
afterAll(async () => {
  await world?.stop()
  target?.close()
})

const statesOf = (pipeline: { steps: { id: string; state: string }[] }) =>
  Object.fromEntries(pipeline.steps.map(({ id, state }) => [id, state]))

describe('a pipeline', () => {
  test('runs its steps by what they need, through a timer, and gives outputs on', async () => {
    const ended = await world.ends(await world.begin('line', { text: 'good' }))
    expect(ended).toMatchObject({ status: 'succeeded', outputs: { text: 'good again' } })
    expect(statesOf(ended)).toEqual({ first: 'succeeded', rest: 'succeeded', second: 'succeeded' })
    const [first] = ended.steps
    const { body: run } = await world.call('GET', `/runs/${first?.run_id}`)
    expect(run).toMatchObject({
      lane: 'background',
      provenance: {
        pipeline_id: ended.id,
        pipeline_step: 'first',
        trigger: { type: 'pipeline' },
        human_root: { via: ['api', ended.id] },
      },
    })
  })

  test('has one run for each entry of a list, passes over what is not wanted, and joins', async () => {
    const ended = await world.ends(await world.begin('branches'))
    expect(ended).toMatchObject({ status: 'succeeded', outputs: { text: 'e4' } })
    expect(statesOf(ended)).toMatchObject({ each: 'succeeded', never: 'skipped', after: 'skipped', join: 'succeeded' })
    expect(ended.steps.find(({ id }) => id === 'each')?.runs).toHaveLength(5)
  })

  test('waits at a step that is let begin by hand', async () => {
    const id = await world.begin('manual')
    const waiting = await world.step(id, 'hold', 'ready')
    expect(waiting.status).toBe('blocked')
    expect((await world.call('POST', `/pipelines/${id}/steps/hold/approve`, {})).status).toBe(409)
    const advanced = await world.call('POST', `/pipelines/${id}/steps/hold/advance`, {
      note: 'go',
      inputs: { text: 'other' },
    })
    expect(advanced.status).toBe(202)
    expect((await world.call('POST', `/pipelines/${id}/steps/hold/advance`, {})).status).toBe(409)
    expect((await world.ends(id)).steps[0]).toMatchObject({ state: 'succeeded', outputs: { text: 'other' } })
  })

  test('an approval step acts once, when somebody has approved its run', async () => {
    const id = await world.begin('approval', { url })
    const waiting = await world.step(id, 'act', 'awaiting_approval')
    expect(waiting.status).toBe('blocked')
    expect(seen).toEqual([])
    const refused = await world.call('POST', `/pipelines/${id}/steps/act/advance`, {})
    expect(refused).toMatchObject({ status: 409, body: { code: 'needs_approval' } })
    expect((await world.call('POST', `/pipelines/${id}/steps/act/approve`)).status).toBe(200)
    expect((await world.ends(id)).status).toBe('succeeded')
    expect(seen).toEqual(['POST /'])
  })

  test('takes back what acted, the last first, when a step that says so fails', async () => {
    seen.length = 0
    const ended = await world.ends(await world.begin('undo', { url }))
    expect(ended).toMatchObject({ status: 'failed', error: { step: 'three' } })
    expect(statesOf(ended)).toMatchObject({ three: 'failed', late: 'skipped' })
    expect(seen).toEqual(['POST /one', 'POST /two', 'POST /two', 'POST /one'])
  })

  test('receives an event that came before, and one that comes after, and not another', async () => {
    const early = await world.begin('events')
    await world.step(early, 'heard', 'waiting_event')
    for (const name of ['other', 'mine']) {
      const { status } = await world.call('POST', '/packs/desk/tell/run', { inputs: { name } })
      expect(status).toBe(202)
    }
    expect(await world.ends(early)).toMatchObject({ status: 'succeeded', outputs: { text: 'mine' } })
    expect(await world.ends(await world.begin('events'))).toMatchObject({
      status: 'succeeded',
      outputs: { text: 'mine' },
    })
  })

  test('a step that takes too long is stopped and fails', async () => {
    const ended = await world.ends(await world.begin('slow'))
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'timeout', step: 'rest' } })
    const { body } = await world.call('GET', `/runs/${ended.steps[0]?.run_id}`)
    expect(body).toMatchObject({ status: 'cancelled' })
  })

  test('stops when it is cancelled, with everything that waits, and leaves no gate open', async () => {
    const id = await world.begin('approval', { url })
    const waiting = await world.step(id, 'act', 'awaiting_approval')
    expect((await world.call('POST', `/pipelines/${id}/cancel`, { reason: 'enough' })).status).toBe(202)
    const ended = await world.ends(id)
    expect(ended).toMatchObject({ status: 'cancelled', steps: [{ state: 'cancelled' }] })
    const { body } = await world.call('GET', `/runs/${waiting.steps[0]?.run_id}`)
    expect(body).toMatchObject({ status: 'cancelled', gates: [{ status: 'cancelled' }] })
    expect((await world.call('POST', `/pipelines/${id}/cancel`, {})).status).toBe(409)
  })

  test('tells what happened, in order and without gaps', async () => {
    const id = await world.begin('line')
    await world.ends(id)
    const { body } = await world.call<{ events: { seq: number; type: string }[]; terminal: boolean }>(
      'GET',
      `/pipelines/${id}/events`,
    )
    expect(body.events.map(({ seq }) => seq)).toEqual(body.events.map((_, index) => index + 1))
    expect(body.events.at(0)?.type).toBe('pipeline.queued')
    expect(body.events.at(-1)?.type).toBe('pipeline.succeeded')
    expect(body.terminal).toBe(true)
  })
})
