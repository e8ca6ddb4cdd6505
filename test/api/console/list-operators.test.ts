import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OperatorShown } from '#api/schemas/operators.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listOperators')

describe('GET /console/api/operators', () => {
  it('tells the facts that govern each operator', async () => {
    const world = await sharedWorld()
    const answer = await world.api.get('/console/api/operators', world.as('viewer'))
    const found = z.array(z.strictObject(OperatorShown.shape)).parse(await answer.json())
    expect(found.map(({ id, requires_approval, simulates }) => [id, requires_approval, simulates])).toContainEqual([
      'postgres.execute',
      true,
      true,
    ])
    expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).sort())
  })
})
