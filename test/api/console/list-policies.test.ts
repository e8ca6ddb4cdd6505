import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PolicyListed } from '#core/policy/view-schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listPolicies')

describe('GET /console/api/policies', () => {
  it('shows what counts, what was replaced, what is broken and what nothing attaches', async () => {
    const world = await sharedWorld()
    const answer = await world.api.get('/console/api/policies', world.as('viewer'))
    const listed = z.array(z.strictObject(PolicyListed.shape)).parse(await answer.json())
    // other tests write policies into the same workspace
    const found = listed.filter(({ name }) => ['draft', 'guard', 'torn'].includes(name))
    const reported = found.map(({ name, layer, broken, attached, in_force_in }) => [
      `${layer} ${name}`,
      { broken, attached, counts: in_force_in.length > 0 },
    ])
    expect(reported).toEqual([
      ['console draft', { broken: false, attached: false, counts: false }],
      ['overlay guard', { broken: false, attached: true, counts: true }],
      ['pack guard', { broken: false, attached: true, counts: false }],
      ['overlay torn', { broken: true, attached: true, counts: true }],
    ])
    expect(found[2]?.overridden_by).toEqual([
      expect.objectContaining({ layer: 'overlay', source: 'guard.yaml', environments: found[1]?.in_force_in }),
    ])
    expect(found[3]?.problems).toEqual([expect.objectContaining({ message: 'unknown effect "ask"', line: 4 })])
  })
})
