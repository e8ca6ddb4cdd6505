import { describe, expect, test } from 'vitest'
import { applyEnvironmentFile, SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { Profile } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { FreezeWindow } from '#core/freeze/freeze-window.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import type { Admission } from '#services/runs/admission.ts'
import { admitRun } from '#services/runs/admit-run.ts'
import type { IntakeContext } from '#services/service-deps.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

const FROM = '2026-12-24T00:00:00.000Z'
const TO = '2026-12-27T00:00:00.000Z'
const DURING = Date.parse('2026-12-25T12:00:00Z')
const freeze: FreezeWindow = {
  name: 'holidays',
  scope: 'writes',
  freeze_approvers: [],
  interval: { from: FROM, to: TO },
}
const recover: Admission = {
  pack: 'test',
  template: 'recover',
  inputs: {},
  lane: 'background',
  trigger: { type: 'manual' },
}

const database = testDatabase()

interface Deployment {
  windows?: FreezeWindow[]
  profiles?: Profile[]
  at_ms?: number
}

/** A deployment whose every environment has these freezes, at a time of our choice. */
function deployment({ windows = [], profiles = [], at_ms = DURING }: Deployment): IntakeContext {
  const { ctx } = createAlertService(database.db)
  return {
    ...ctx,
    clock: () => at_ms,
    environments: {
      get: (name) => {
        const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
        return seeded && applyEnvironmentFile(seeded, { name, freeze: windows })
      },
      list: () => [],
      profile: (name) => {
        const profile = profiles.find((each) => each.name === name)
        if (profile !== undefined) return profile
        if (name === 'default') return { name, requires_approval: [] }
        throw new DomainError('not_found', `there is no profile ${name}`)
      },
      rules: () => [],
    },
  }
}

async function audited(action: string): Promise<{ category: string; subject: object; data: object }[]> {
  const rows = await database.db<{ draft: { category: string; subject: object; data: object } }[]>`
    select draft from audit_outbox where draft->>'action' = ${action} order by id`
  return rows.map((row) => row.draft)
}

describe('an environment in a freeze', () => {
  test('starts nothing that writes, says until when, and puts that on record', async () => {
    const refused = admitRun(deployment({ windows: [freeze] }), recover)
    await expect(refused).rejects.toMatchObject({ code: 'frozen', details: { freeze: 'holidays', until: TO } })
    expect((await audited('run.frozen')).at(-1)).toMatchObject({
      category: 'trigger',
      subject: { type: 'template', id: 'test/recover' },
      data: { environment: 'development', freeze: 'holidays', until: TO },
    })
  })

  test('starts runs again from its end on', async () => {
    const ctx = deployment({ windows: [freeze], at_ms: Date.parse(TO) })
    expect(await admitRun(ctx, recover)).toMatchObject({ started: true })
  })

  test('starts runs that its approvers will be asked about', async () => {
    const ctx = deployment({ windows: [{ ...freeze, freeze_approvers: ['release-lead'] }] })
    expect(await admitRun(ctx, recover)).toMatchObject({ started: true })
  })

  test('answers an alert with frozen, and its neighbours as ever', async () => {
    const body = groupOf([{ service: 'frozen-1' }, { service: 'frozen-1' }, { service: 'x', alertname: 'Unknown' }])
    const { results } = await receiveAlerts(deployment({ windows: [freeze] }), { body })
    expect(results.map((each) => each.outcome)).toEqual(['frozen', 'frozen', 'unmatched'])
    expect(results[0]).toMatchObject({ rule: 'down', detail: expect.stringContaining(`holidays is on until ${TO}`) })
    expect(results[0]).not.toHaveProperty('run_id')
    const after = await receiveAlerts(deployment({ windows: [freeze], at_ms: Date.parse(TO) }), { body })
    expect(after.results.map((each) => each.outcome)).toEqual(['started', 'attached', 'unmatched'])
  })
})

describe('a profile', () => {
  const careful: Profile = { name: 'careful', requires_approval: [], environment: 'staging', limits: { max_usd: 0.25 } }
  const run = async (id: string) =>
    (
      await database.db<{ environment: string; profile: string; cap_micro_usd: number }[]>`
      select environment, profile, cap_micro_usd from runs where id = ${id}`
    )[0]

  test('says where its runs run and narrows their cap', async () => {
    const { run_id } = await admitRun(deployment({ profiles: [careful] }), { ...recover, profile: 'careful' })
    expect(await run(run_id)).toEqual({ environment: 'staging', profile: 'careful', cap_micro_usd: 250_000 })
  })

  test('never widens the cap of the environment', async () => {
    const wide = { ...careful, limits: { max_usd: 1_000 } }
    const { run_id } = await admitRun(deployment({ profiles: [wide] }), { ...recover, profile: 'careful' })
    expect(await run(run_id)).toMatchObject({ cap_micro_usd: 1_000_000 })
  })

  test('that does not exist starts nothing', async () => {
    await expect(admitRun(deployment({}), { ...recover, profile: 'carefull' })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('carefull'),
    })
  })
})
