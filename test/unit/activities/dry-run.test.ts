import { describe, expect, it, vi } from 'vitest'
import { defineOperator, type Operator, OperatorError, type Simulation } from '#core/operator.ts'
import { type GatedStepOptions, gatedStep } from '#test/support/gated-step.ts'

const done: string[] = []

const operator = (own: Partial<Operator> = {}): Operator =>
  defineOperator({
    ...{ id: 'test.act', version: 1, title: 'Act', risk: 'high', action_type: 'test.act', capabilities: [] },
    ...{ requires_approval: false, input_schema: {}, parse: (input) => input, replay: () => 'safe' as const },
    describe: () => ({ summary: 'acts', targets: { kind: 'test', ids: ['it'] }, command: 'act --now' }),
    execute: async () => {
      done.push('executed')
      return { outputs: { seen: 1 } }
    },
    ...own,
  })
const reading = (own: Partial<Operator> = {}) => operator({ action_type: 'read', risk: 'low', ...own })

/** What a dry run of this one step says of it, with how often the operator was executed. */
async function predicted(options: Partial<GatedStepOptions> & { operator: Operator }) {
  done.length = 0
  const step = gatedStep({ input: {}, requires_approval: false, dry_run: true, ...options })
  expect(await step.ask()).toBeUndefined()
  expect(step.patches.filter(({ gate }) => gate !== undefined)).toEqual([])
  const { settle, events, audit } = step.settled() as {
    settle: { state: string; simulation: unknown; attempt: number }
    events: { data: object }[]
    audit: { data: Record<string, unknown> }[]
  }
  return { state: settle.state, said: settle.simulation, executed: done.length, events, audit }
}

describe('a step of a dry run', () => {
  it('that acts is not executed, and says what it would do, whom it would ask, and what it may cost', async () => {
    const acting = operator({ requires_approval: true, estimate: () => ({ llm: 250_000 }) })
    const { state, said, executed, audit } = await predicted({ operator: acting, requires_approval: true })
    expect(executed).toBe(0)
    expect(state).toBe('skipped')
    expect(said).toMatchObject({
      ...{ would: 'act', executed: false, summary: 'acts', command: 'act --now', estimate_usd: 0.25 },
      gate: {
        because: ['the operator requires approval', 'the pack requires approval for this step'],
        authorities: { operator: true, profile: false, policy: 'allow_auto', pack: true },
        approvals: 1,
      },
    })
    expect(audit.map(({ data }) => [data['led_to'], data['of_dry_run']])).toEqual([['report', true]])
  })

  it('that a policy denies is reported as refused, and does not end the report', async () => {
    const matched = [{ name: 'freeze', layer: 'overlay' as const, effect: 'deny' as const, reason: 'not on Fridays' }]
    const simulate = vi.fn(async () => ({ ok: true, summary: 'would act' }))
    const { said, executed } = await predicted({
      operator: operator({ simulate }),
      verdict: { effect: 'deny', matched },
    })
    expect([executed, simulate.mock.calls.length]).toEqual([0, 0])
    expect(said).toMatchObject({
      would: 'be_refused',
      error: { code: 'PolicyDenied', message: 'freeze: not on Fridays' },
    })
    expect(said).not.toHaveProperty('gate')
  })

  it('that does not fit under the cap would fail', async () => {
    const dear = operator({ estimate: () => ({ llm: 2_000_000 }) })
    expect((await predicted({ operator: dear })).said).toMatchObject({
      would: 'fail',
      error: { code: 'BudgetExceeded' },
    })
  })

  it.each<[string, Simulation, string]>([
    ['failed', { ok: false, summary: 'no' }, 'simulation_failed'],
    ['was not tried', { ok: false, not_tried: true, summary: 'who knows' }, 'not_simulated'],
  ])('whose required simulation %s would ask a person', async (_what, simulation, because) => {
    const acting = operator({ simulate: async () => simulation })
    expect((await predicted({ operator: acting, require_dry_run: true })).said).toMatchObject({
      ...{ simulation, gate: { because: [because] } },
    })
    // where nobody requires it, it is told and asks nobody
    const { said } = await predicted({ operator: acting })
    expect(said).toMatchObject({ simulation })
    expect(said).not.toHaveProperty('gate')
  })

  it('that reads is executed once, where nobody need approve it', async () => {
    const { state, said, executed, events } = await predicted({ operator: reading() })
    expect([state, executed]).toEqual(['succeeded', 1])
    expect(said).toMatchObject({ would: 'read', executed: true })
    expect(events.at(-1)?.data).toMatchObject({ dry_run: true, executed: true })
    const gated = await predicted({ operator: reading(), requires_approval: true })
    expect([gated.state, gated.executed]).toEqual(['skipped', 0])
  })

  it.each([
    ['waits for the world', { waits: true as const }],
    ['waits a time', { delay_ms: () => 60_000 }],
  ])('that %s neither waits nor looks', async (_what, own) => {
    const simulate = async () => {
      done.push('simulated')
      return { ok: true as const, summary: 'looked' }
    }
    const { said, executed } = await predicted({ operator: reading({ ...own, simulate }), require_dry_run: true })
    expect(executed).toBe(0)
    expect(said).toMatchObject({ would: 'wait', executed: false })
  })

  it('that reads and may not be begun twice is left alone', async () => {
    expect((await predicted({ operator: reading({ replay: () => 'ask' }) })).executed).toBe(0)
  })

  it('whose read fails is not tried again', async () => {
    const failing = reading({
      execute: async () => {
        done.push('executed')
        throw new OperatorError('unreachable', 'nobody is there', { retryable: true })
      },
    })
    const { state, said, executed } = await predicted({ operator: failing, attempts: 5 })
    expect([state, executed]).toEqual(['failed', 1])
    expect(said).toMatchObject({ would: 'fail', executed: true, error: { code: 'unreachable' } })
  })

  it('whose input cannot be made would fail', async () => {
    const input = { value: `\${{ inputs.nothing.here }}` }
    expect((await predicted({ operator: operator(), input })).said).toMatchObject({ would: 'fail', executed: false })
  })
})
