import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PackTemplate } from '#api/schemas/packs.ts'
import { Run } from '#core/run/schema.ts'
import { startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { STARTS } from '#test/support/start-refusals.ts'

itIsGuarded('runTemplate')
itRefuses('runTemplate', sharedWorld, [
  [403, 'policy_denied', STARTS.denied],
  [403, 'frozen', STARTS.frozen],
  [423, 'halted', STARTS.halted],
  [409, 'plan_changed', STARTS.ofAnotherPlan],
  [501, 'not_configured', STARTS.withoutKey],
])

const started: string[] = []

const database = testDatabase()
const api = testApi(database, {
  services: { engine: startingEngine(async (input) => void started.push(input.run_id)) },
})

const path = '/packs/incident/service-recovery/run'

describe('POST /packs/{pack}/{tpl}/run', () => {
  it('starts the template that was shown, and no other', async () => {
    const [template] = z.array(PackTemplate).parse(await (await api.get('/packs')).json())
    const template_digest = template?.template_digest
    const inputs = { url: 'http://127.0.0.1:1' }
    const other = `sha256:${'0'.repeat(64)}`
    const started = await api.post(path, { inputs, template_digest })
    expect([started.status, Run.parse(await started.json()).template_digest]).toEqual([202, template_digest])
    const manual = { pack: 'incident', template: 'service-recovery' }
    for (const shown of [{ template_digest: other }, { plan_hash: other }, { plan_hash: template_digest }]) {
      for (const response of [
        await api.post(path, { inputs, ...shown }),
        await api.post('/triggers/manual', { ...manual, inputs, ...shown }),
        await api.post('/triggers/manual', { ...manual, inputs, ...shown, wait: true }),
      ]) {
        expect([response.status, await response.json()]).toEqual([
          409,
          expect.objectContaining({ code: 'plan_changed', template_digest }),
        ])
      }
    }
    for (const plan_hash of [other, template_digest]) {
      const both = await api.post(path, { inputs, template_digest, plan_hash })
      expect([both.status, await both.json()]).toEqual([409, expect.objectContaining({ code: 'plan_changed' })])
    }
  })

  it('answers 202 with the run and where it is', async () => {
    const response = await api.post(path, {
      inputs: { url: 'http://127.0.0.1:1' },
      reason: 'why',
      labels: { team: 'ops' },
    })
    expect(response.status).toBe(202)
    const run = z.strictObject(Run.shape).parse(await response.json())
    expect(run).toMatchObject({
      status: 'queued',
      lane: 'background',
      reason: 'why',
      labels: { team: 'ops' },
      template: 'service-recovery',
    })
    expect(response.headers.get('location')).toBe(`/runs/${run.id}`)
    expect(started).toContain(run.id)
    expect((await api.get(response.headers.get('location') ?? '')).status).toBe(200)
  })

  it('a repeat with the same key starts nothing new, not even at the same time', async () => {
    const send = () => api.post(path, { inputs: {} }, { 'idempotency-key': 'start-1' })
    const count = started.length
    const together = await Promise.all(Array.from({ length: 10 }, send))
    const later = await send()
    const ids = await Promise.all(
      [...together, later]
        .filter((answer) => answer.status === 202)
        .map(async (answer) => Run.parse(await answer.json()).id),
    )
    expect(new Set(ids).size).toBe(1)
    expect(started.length).toBe(count + 1)
    expect(later.headers.get('location')).toBe(`/runs/${ids[0]}`)
  })

  it.each(['', 'two words', 'x'.repeat(201)])(
    'a key that is none, number %#, is named and starts nothing',
    async (key) => {
      const count = started.length
      const response = await api.post(path, { inputs: {} }, { 'idempotency-key': key })
      expect([response.status, await response.json()]).toMatchObject([
        422,
        {
          code: 'validation_failed',
          errors: [
            { pointer: '/idempotency-key', loc: ['header', 'idempotency-key'], msg: expect.stringContaining('200') },
          ],
        },
      ])
      expect(started).toHaveLength(count)
    },
  )

  it.each([
    ['run of a template', path, { inputs: {} }],
    ['start by hand', '/triggers/manual', { pack: 'incident', template: 'service-recovery', inputs: {} }],
  ])(
    'a repeat of a %s whose first attempt was lost after the start is answered with the run of the first',
    async (name, to, body) => {
      const send = async () => {
        const answer = await api.post(to, body, { 'idempotency-key': `lost-${name.replaceAll(' ', '-')}` })
        expect(answer.status).toBe(202)
        return answer.headers.get('location')
      }
      const first = await send()
      const count = started.length
      await database.db`
      update idempotency_keys set status = null, response = null, created_at = created_at - interval '11 minutes'
      where key like ${`%:lost-${name.replaceAll(' ', '-')}`}`
      expect(await send()).toBe(first)
      expect(started.length).toBe(count)
    },
  )

  it('nobody starts a run in a lane, under a cap or without the gates that were not offered', async () => {
    for (const knob of ['lane', 'cap_usd', 'requires_approval', 'provenance', 'fingerprint', 'workspace_id', 'roles']) {
      const response = await api.post(path, { inputs: {}, [knob]: 'x' })
      expect([knob, response.status]).toEqual([knob, 422])
    }
  })

  it.each([
    ['/packs/incident/unknown/run', 404],
    ['/packs/unknown/service-recovery/run', 404],
    ['/packs/Incident/service-recovery/run', 404],
  ])('%s is %i', async (unknown, status) => {
    expect((await api.post(unknown, { inputs: {} })).status).toBe(status)
  })

  it('takes inputs up to 5 MiB, and no more', async () => {
    const inputs = (bytes: number) => ({ inputs: { text: 'x'.repeat(bytes) } })
    expect((await api.post(path, inputs(4_000_000))).status).toBe(202)
    expect((await api.post(path, inputs(5_300_000))).status).toBe(413)
  })

  it('an unknown environment is a violation that names its field', async () => {
    const response = await api.post(path, { inputs: {}, environment: 'nowhere' })
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/environment' }] })
  })
})
