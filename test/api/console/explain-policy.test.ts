import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PolicyTouch } from '#core/policy/view-schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('explainPolicy')

describe('GET /console/api/policies/{name}/explain', () => {
  it('names the steps that a policy touches, and none for one that does not count', async () => {
    const world = await sharedWorld()
    const touched = async (name: string) => {
      const path = `/console/api/policies/${name}/explain?environment=development`
      const answer = await world.api.get(path, world.as('viewer'))
      return z.array(z.strictObject(PolicyTouch.shape)).parse(await answer.json())
    }
    const about = { template: 'incident/service-recovery', environment: 'development', outcome: 'gate' }
    expect(await touched('guard')).toEqual(
      ['evidence', 'act'].map((step) => expect.objectContaining({ ...about, step, effects: ['require_hitl'] })),
    )
    expect(await touched('torn')).toEqual([])
    expect(await touched('draft')).toEqual([])
  })
})
