import { beforeEach, describe, expect, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { HALTS, OTHER, openHaltWorld } from '#test/support/halt-world.ts'

itIsGuarded('listHalts')

const world = fileFixture(openHaltWorld)
beforeEach(() => world.liftAll())

describe('GET /console/api/halts', () => {
  it('shows everybody the halts that may stop them, and no other', async () => {
    const all = await world.as(['owner'], ['*'])
    const [everything, elsewhere] = [
      await world.idOf(await world.set(all)),
      await world.idOf(await world.set(all, { workspace: OTHER })),
    ]
    const seen = async (headers: Record<string, string>) =>
      HaltRecord.array()
        .parse(await (await world.api.get(HALTS, headers)).json())
        .map(({ id }) => id)
    expect(await seen(await world.as(['viewer']))).toEqual([everything])
    expect(await seen(await world.as(['viewer'], [OTHER]))).toEqual([elsewhere, everything])
    expect(await seen(all)).toEqual([elsewhere, everything])
    expect((await world.api.get(HALTS)).status).toBe(401)
  })
})
