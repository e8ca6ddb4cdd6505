import { describe, expect, it } from 'vitest'
import { PolicyAnswer } from '#core/policy/view-schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('simulatePolicies')

describe('POST /console/api/policies/simulate', () => {
  const ask = async (body: object) => {
    const world = await sharedWorld()
    return world.api.post('/console/api/policies/simulate', body, world.as('viewer'))
  }
  const environment = 'development'

  it('judges a subject by the policies in force', async () => {
    const subject = { risk: 'high', action_types: ['service.restart'] }
    const { verdict } = PolicyAnswer.parse(await (await ask({ environment, subject })).json())
    expect(verdict).toMatchObject({
      effect: 'require_hitl',
      matched: [{ name: 'guard', layer: 'overlay' }],
      approval_roles: [['dba']],
      overrides: [{ name: 'guard', replaces: [{ layer: 'pack', source: 'incident/policies/guard.yaml' }] }],
    })
    const other = PolicyAnswer.parse(await (await ask({ environment, subject: { risk: 'low' } })).json())
    expect(other.verdict).toMatchObject({ effect: 'allow_auto', matched: [] })
  })

  it('judges a template as a whole and step by step', async () => {
    const answer = await ask({ environment, template: 'incident/service-recovery', inputs: { url: 'x' } })
    const { denied, steps } = PolicyAnswer.parse(await answer.json())
    expect(denied).toEqual([])
    expect(steps?.map(({ step, outcome, matched }) => [step, outcome, matched.map(({ name }) => name)])).toEqual([
      ['evidence', 'gate', ['guard']],
      ['act', 'gate', ['guard']],
    ])
  })

  it('takes a subject or a template, and knows both environment and template', async () => {
    const template = 'incident/service-recovery'
    for (const body of [{}, { template, subject: { risk: 'low' } }, { template, environment: 'nowhere' }])
      expect((await ask({ environment, ...body })).status).toBe(422)
    expect((await ask({ environment, template: 'incident/nothing' })).status).toBe(404)
  })
})
