import { describe, expect, it, vi } from 'vitest'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { openScheduleWorld } from '#test/support/schedule-world.ts'

itIsGuarded('createSchedule')

const world = fileFixture(openScheduleWorld)

itRefuses('createSchedule', () => ({ api: world.api }), [
  [
    409,
    'conflict',
    async () => {
      const { name } = await world.make()
      return () => world.post({ name })
    },
  ],
])

describe('POST /triggers/scheduled', () => {
  it('answers with the next ten fires, the forecast and what waits for the engine', async () => {
    const answer = await world.post({ timezone: 'Europe/Berlin' })
    const made = CreatedSchedule.parse(await answer.json())
    expect(answer.headers.get('location')).toBe(`/triggers/scheduled/${made.id}`)
    expect(answer.headers.get('etag')).toBe(made.etag)
    expect(made.next_fires).toHaveLength(10)
    expect(made.next_fires.slice(0, 2)).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
    expect(made).toMatchObject({
      source: 'console',
      sync: 'pending',
      enabled: true,
      catchup: 'none',
      overlap: 'skip',
      created_by: 'usr_local',
      next_fire_at: '2026-03-29T01:00:00.000Z',
      policy_forecast: { effect: 'unknown', gate_possible: true },
    })
  })

  it('says what policies would say of the whole template', async () => {
    const matched = [{ name: 'ask', layer: 'overlay' as const, effect: 'require_hitl' as const, reason: 'restarts' }]
    const verdict = { effect: 'require_hitl' as const, matched, dry_run: false, approval_roles: [], channels: [] }
    const decide = () => ({ ...verdict, broken_policies: [], snapshot_hash: 'sha256:0' })
    const policies = { effective: async () => ({ snapshot_hash: 'sha256:0', decide }) }
    const judged = await createTestApi(world.database, { services: { policies } })
    const made = CreatedSchedule.parse(await (await judged.post('/triggers/scheduled', world.draft())).json())
    expect(made.policy_forecast).toEqual({ effect: 'require_hitl', matched, gate_possible: true })
    await judged.close()
  })

  it.each([
    ['a cron that nobody agrees on', { cron: '0 0 L * *' }, 'invalid_schedule', '/cron'],
    ['a zone that is none', { timezone: 'Berlin' }, 'invalid_schedule', '/timezone'],
    ['days that need a word', { cron: '0 0 13 * FRI' }, 'invalid_schedule', '/days'],
    ['an unknown template', { template: 'nothing' }, 'validation_failed', '/template'],
    ['an unknown environment', { environment: 'moon' }, 'validation_failed', '/environment'],
    ['an unknown preset', { config_preset: 'fast' }, 'validation_failed', '/config_preset'],
    ['a field that is none', { crn: '* * * * *' }, 'validation_failed', ''],
  ])('refuses %s', async (_name, fields, code, pointer) => {
    const answer = await world.post(fields)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code, errors: [{ pointer }] })
  })

  it('tells where the cron expression is wrong, and shows both meanings of two restricted days', async () => {
    expect(await (await world.post({ cron: '0 22-4 * * *' })).json()).toMatchObject({
      line: 1,
      column: 3,
      hint: 'split it: 22-23,0-4',
    })
    const { next_fires } = (await (await world.post({ cron: '0 0 13 * FRI' })).json()) as { next_fires: object }
    expect(next_fires).toEqual({
      and: ['2026-11-13T00:00:00.000Z', '2027-08-13T00:00:00.000Z', '2028-10-13T00:00:00.000Z'],
      or: ['2026-04-03T00:00:00.000Z', '2026-04-10T00:00:00.000Z', '2026-04-13T00:00:00.000Z'],
    })
  })

  it('refuses an input that its template declares secret', async () => {
    const { packs } = world.api.deps.services
    const withSecret = (pack: string, name: string) => {
      const template = packs.findTemplate(pack, name)
      if (template === undefined) return undefined
      const inputs_schema = { type: 'object', properties: { token: { type: 'string', writeOnly: true } } }
      return { ...template, inputs_schema }
    }
    const secretive = await createTestApi(world.database, {
      services: { packs: { ...packs, findTemplate: withSecret } },
    })
    const answer = await secretive.post('/triggers/scheduled', world.draft({ inputs: { token: 'hunter2' } }))
    expect(answer.status).toBe(422)
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ errors: [{ pointer: '/inputs/token', type: 'secret_input' }] })
    expect(text).not.toContain('hunter2')
    await secretive.close()
  })

  it('has one of each name', async () => {
    const { name } = await world.make()
    expect((await world.post({ name })).status).toBe(409)
  })

  it('answers a repeat with what was made, also where it could not be made any more', async () => {
    const body = { ...world.draft(), inputs: {} }
    const again = () => world.api.post('/triggers/scheduled', body, { 'idempotency-key': body.name })
    const first = CreatedSchedule.parse(await (await again()).json())
    // its answer was lost, and since then the template has gone
    await world.database
      .db`update idempotency_keys set status = null, response = null, holder = '' where key like ${`%:${body.name}`}`
    vi.spyOn(world.api.deps.services.packs, 'findTemplate').mockReturnValue(undefined)
    const answer = await again()
    vi.restoreAllMocks()
    expect(answer.status).toBe(201)
    expect(CreatedSchedule.parse(await answer.json())).toMatchObject({
      id: first.id,
      next_fires: first.next_fires,
      policy_forecast: { effect: 'unknown' },
    })
  })

  it('is on the audit record', async () => {
    const { id } = await world.make()
    const rows = await world.database.db`select from audit_outbox where draft ->> 'action' = 'schedule.created'
      and draft -> 'subject' ->> 'id' = ${id}`
    expect(rows).toHaveLength(1)
  })
})
