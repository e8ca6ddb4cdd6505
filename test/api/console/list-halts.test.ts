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

  it('shows, if asked, also halts that were lifted, to those in whose workspaces they have refused starts', async () => {
    const all = await world.as(['owner'], ['*'])
    const refused = async (headers: Record<string, string>) => {
      const body = { inputs: { url: 'http://127.0.0.1:1' } }
      expect((await world.api.post('/packs/incident/service-recovery/run', body, headers)).status).toBe(423)
    }
    const idle = await world.idOf(await world.set(all))
    await world.liftAll()
    const here = await world.idOf(await world.set(all))
    await refused(await world.as(['operator']))
    await world.liftAll()
    const there = await world.idOf(await world.set(all))
    await refused({ ...all, 'x-svc-workspace': OTHER })
    const seen = async (headers: Record<string, string>, query = '?lifted=true') =>
      HaltRecord.array()
        .parse(await (await world.api.get(`${HALTS}${query}`, headers)).json())
        .filter(({ id }) => [idle, here, there].includes(id))
    expect((await seen(all)).map(({ id, lifted_at }) => [id, lifted_at === undefined])).toEqual([
      [there, true],
      [here, false],
    ])
    await world.liftAll()
    const viewer = await world.as(['viewer'])
    const [own, ...others] = await seen(viewer)
    expect(own).toMatchObject({ id: here, held: { runs: 0 }, refused: { starts: 1 }, may_lift: [] })
    expect(own?.by.id, 'nobody is named who halted everything').toBe('deployment')
    expect(others).toEqual([])
    expect((await seen(all)).map(({ id }) => id)).toEqual([there, here])
    expect(await seen(all, '')).toEqual([])
  })
})
