import { describe, expect, it } from 'vitest'
import { Contract } from '#core/plan/preflight-schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { TEST_DIGEST } from '#test/support/one-pack.ts'

itIsGuarded('getContract')

describe('GET /packs/{pack}/{tpl}/contract', () => {
  it('says what each step may ask where it would run', async () => {
    const world = await sharedWorld()
    const answer = await world.api.get('/packs/incident/service-recovery/contract', world.as('viewer'))
    const found = Contract.parse(await answer.json())
    expect(found).toMatchObject({ environment: 'development', template_digest: TEST_DIGEST, estimate_usd: 0 })
    expect(found.plan.map(({ step, gate }) => [step, gate.possible])).toEqual([
      ['evidence', true],
      ['act', true],
    ])
    expect(found.plan[1]?.gate.because).toEqual(['the overlay policy guard requires a person: restarts are asked for'])
  })

  it('knows no environment that the workspace may not use', async () => {
    const world = await sharedWorld()
    const path = '/packs/incident/service-recovery/contract?environment=nowhere'
    expect((await world.api.get(path, world.as('viewer'))).status).toBe(422)
  })
})
