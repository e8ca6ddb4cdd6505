import { describe, expect, it } from 'vitest'
import { defineOperator, type Operator, OperatorError, type Replay } from '#core/operator.ts'
import { LOCAL_STEP_MS } from '#core/plan/estimate-plan.ts'
import { type GatedStepOptions, gatedStep } from '#test/support/gated-step.ts'

/** A step beside a workflow task, and how often it acted. */
function local(options: Partial<GatedStepOptions> & { replay?: Replay; fails?: boolean } = {}) {
  let acted = 0
  let tried = 0
  const operator: Operator = defineOperator({
    id: 'test.act',
    version: 1,
    title: 'Act',
    risk: 'high',
    action_type: 'test.act',
    capabilities: [],
    requires_approval: false,
    input_schema: {},
    parse: (input) => input,
    replay: () => options.replay ?? 'safe',
    describe: () => ({ summary: 'acts', targets: { kind: 'test', ids: [] } }),
    async simulate() {
      tried += 1
      return { ok: true, summary: 'would act' }
    },
    async execute() {
      acted += 1
      if (options.fails) throw new OperatorError('unreachable', 'nobody there', { retryable: true })
      return { outputs: {} }
    },
  })
  const usual = { operator, input: {}, requires_approval: false, timeout_ms: LOCAL_STEP_MS, local: true }
  const step = gatedStep({ ...usual, ...options })
  return { step, acted: () => acted, tried: () => tried }
}

const YIELDED = '"kind":"yielded"'

describe('a local execution', () => {
  it('acts where the step is short and may be repeated', async () => {
    const { step, acted } = local()
    expect(await step.ask()).toBeUndefined()
    expect(acted()).toBe(1)
  })

  it.each([
    ['may take long', { timeout_ms: LOCAL_STEP_MS + 1 }],
    ['may not be repeated without asking', { replay: 'ask' }],
    ['is to be simulated first', { require_dry_run: true }],
  ] as const)('leaves to the execution after it, before it begins, what %s', async (_what, options) => {
    const { step, acted, tried } = local(options)
    await expect(step.ask()).rejects.toThrow(YIELDED)
    expect([acted(), tried(), step.patches]).toMatchObject([0, 0, [{ let_go: true }]])
    expect(step.patches[0]).not.toHaveProperty('open')
  })

  it('writes what the step before has done when it yields', async () => {
    const pending = { settle: { step_id: 'before', ordinal: 0, state: 'succeeded' as const, attempt: 1 } }
    const { step } = local({ timeout_ms: 60_000, pending: { ...pending, events: [], audit: [] } })
    await expect(step.ask()).rejects.toThrow(YIELDED)
    expect(step.patches).toMatchObject([pending])
  })

  it('asks for an approval, however long the step may take', async () => {
    const { step, acted } = local({ timeout_ms: 60_000, replay: 'ask', requires_approval: true })
    expect(await step.ask()).toMatchObject({ step: 'act' })
    expect(acted()).toBe(0)
  })

  it('waits for no repetition', async () => {
    const { step, acted } = local({ fails: true, attempts: 3 })
    await expect(step.ask()).rejects.toThrow('"kind":"delayed"')
    expect(acted()).toBe(1)
  })

  /** A tenth of a second is left of its two. */
  const late = { monotonic: () => 1_900 }
  const never = () => new Promise<never>(() => undefined)
  const GIVEN_BACK = { settle: { state: 'ready', attempt: 0, unsent: true } }

  it('gives back what it holds when the log does not acknowledge the step in time, and leaves it to the execution after it', async () => {
    const audit = { offer: () => undefined, acknowledged: never }
    const { step, acted } = local({ deps: { ...late, audit } })
    await expect(step.ask()).rejects.toThrow(YIELDED)
    expect(acted()).toBe(0)
    expect(step.patches).toMatchObject([{ open: { attempt: 1 } }, GIVEN_BACK, { let_go: true }])
  })

  it('acts no more when two seconds have passed, however fast the answer', async () => {
    const { step, acted } = local({ deps: { monotonic: () => 2_000 } })
    await expect(step.ask()).rejects.toThrow(YIELDED)
    expect(acted()).toBe(0)
    expect(step.patches.at(-2)).toMatchObject(GIVEN_BACK)
  })

  it('is not at it any more when another has the run by then', async () => {
    const { step, acted } = local({ deps: { ...late, audit: { offer: () => undefined, acknowledged: never } } })
    step.refuseRecord = ({ settle }) => (settle === undefined ? undefined : { refused: 'fenced' })
    await expect(step.ask()).rejects.toThrow('"kind":"stopped"')
    expect(acted()).toBe(0)
  })

  it('waits for a slow log where it is in its lane', async () => {
    const { step, acted } = local({ local: false, deps: { monotonic: () => 60_000 } })
    expect(await step.ask()).toBeUndefined()
    expect(acted()).toBe(1)
  })
})
