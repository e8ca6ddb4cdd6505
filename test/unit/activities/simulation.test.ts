import { describe, expect, it } from 'vitest'
import { defineOperator, type Simulation } from '#core/operator.ts'
import { type GatedStep, gatedStep } from '#test/support/gated-step.ts'

const simulated = (simulation: Simulation) => {
  const operator = defineOperator({
    id: 'test.act',
    version: 1,
    title: 'Act',
    risk: 'high',
    action_type: 'test.act',
    capabilities: [],
    requires_approval: false,
    input_schema: {},
    parse: (input) => input,
    replay: () => 'ask',
    describe: () => ({ summary: 'acts', targets: { kind: 'test', ids: [] } }),
    simulate: async () => simulation,
    execute: async () => ({ outputs: {} }),
  })
  return gatedStep({ operator, input: {}, requires_approval: false, require_dry_run: true })
}

/** What the chain says of the effect. */
const effectOf = ({ patches }: GatedStep) =>
  patches.flatMap(({ audit }) => audit ?? []).find(({ data }) => data['led_to'] === 'effect')?.data

describe('where a policy asks for a dry run', () => {
  it('one that succeeded lets the step through', async () => {
    expect(await simulated({ ok: true, summary: 'it would' }).ask()).toBeUndefined()
  })

  it.each([
    ['that failed', { ok: false, summary: 'no' }, 'simulation_failed'],
    ['that was not tried', { ok: false, not_tried: true, summary: 'who knows' }, 'not_simulated'],
  ] as const)('one %s turns the gate on, and the gate says so', async (_what, simulation, because) => {
    const step = simulated(simulation)
    const pending = await step.ask()
    expect(pending).toMatchObject({ because: [because], simulation })
    step.approve()
    expect(await step.ask()).toBeUndefined()
  })

  it('an approval that is not needed any more is not what the effect stands on', async () => {
    const simulation = { ok: false, summary: 'no' }
    const step = simulated(simulation)
    await step.ask()
    step.approve()
    simulation.ok = true
    expect(await step.ask()).toBeUndefined()
    expect(effectOf(step)).toMatchObject({ approved_by: null, vouched_by: null })
  })
})
