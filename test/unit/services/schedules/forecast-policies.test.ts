import { describe, expect, it } from 'vitest'
import type { Plan, PlanStep } from '#core/plan/types.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER, joinLayers } from '#core/policy/layer.ts'
import { parsePolicies } from '#core/policy/parse.ts'
import { forecastPolicies } from '#services/schedules/forecast-policies.ts'

const READS = { name: 'reads', applies_to: { action_types: ['read'] }, rules: [{ effect: 'allow_auto' }] }
const step = (facts: Partial<PlanStep>) =>
  ({ id: 's', requires_approval: false, action_type: 'read', risk: 'low', capabilities: [], ...facts }) as PlanStep

function forecast(steps: PlanStep[], policies: object[] = [], profile: string[] = []) {
  const plan = { risk: 'low', action_types: [], capabilities: [], steps } as unknown as Plan
  const environment = { name: 'production', class: 'production', policies: [] as string[] }
  const overlay = joinLayers([READS, ...policies].map((each) => parsePolicies(each, { layer: 'overlay', source: 'o' })))
  const set = compilePolicies(
    { layers: { pack: EMPTY_LAYER, overlay, console: EMPTY_LAYER }, environment },
    { hash: (text) => text },
  )
  const given = { template: { plan }, environment, profile: { name: 'p', requires_approval: profile } }
  return forecastPolicies({ workspace_id: 'ws_1', policies: { effective: async () => set } }, given as never)
}

describe('the forecast of a schedule', () => {
  it('says that reads run unattended', async () => {
    expect(await forecast([step({}), step({})])).toMatchObject({ effect: 'allow_auto', gate_possible: false })
  })

  it('is that of the strictest step, as it will be judged', async () => {
    const restart = step({ action_type: 'service.restart', operator_type: 'read' })
    expect(await forecast([step({}), restart])).toMatchObject({ effect: 'require_hitl', gate_possible: true })
    expect(await forecast([step({}), step({ requires_approval: true })])).toMatchObject({ gate_possible: true })
    expect(
      await forecast([restart], [{ name: 'all', rules: [{ effect: 'allow_auto' }] }], ['service.restart']),
    ).toMatchObject({ effect: 'allow_auto', gate_possible: true })
  })

  it('is the refusal of the whole where a policy denies what one step is', async () => {
    const no = { name: 'no', applies_to: { action_types: ['sql.write'] }, rules: [{ effect: 'deny', reason: 'never' }] }
    const forecasted = await forecast([step({}), step({ action_type: 'sql.write' })], [no])
    expect(forecasted.effect).toBe('deny')
    expect(forecasted.matched).toContainEqual({ name: 'no', layer: 'overlay', effect: 'deny', reason: 'never' })
  })
})
