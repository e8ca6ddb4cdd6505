import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { OTHER, openHaltWorld } from '#test/support/halt-world.ts'

itIsGuarded('liftHalt')

const world = fileFixture(openHaltWorld)
beforeEach(() => world.liftAll())

describe('DELETE /console/api/halts/{id}', () => {
  it('takes the same to lift it, once', async () => {
    const [own, all] = [await world.as(['admin']), await world.as(['owner'], ['*'])]
    const everything = await world.idOf(await world.set(all))
    const elsewhere = await world.idOf(await world.set(all, { workspace: OTHER }))
    const here = await world.idOf(await world.set(all, { workspace: DEFAULT_WORKSPACE_ID }))
    expect(await codeOf(await world.lift(everything, own))).toEqual([403, 'forbidden'])
    expect(await codeOf(await world.lift(elsewhere, own))).toEqual([404, 'not_found'])
    expect((await world.lift(here, own)).status).toBe(204)
    expect(await codeOf(await world.lift(here, own))).toEqual([404, 'not_found'])
    expect((await world.lift(everything, all)).status).toBe(204)
  })
})
