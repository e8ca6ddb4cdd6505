import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import type { ChatAnswer } from '#core/models/chat.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import type { ModelPorts } from '#services/models/model-ports.ts'
import type { ModelRefusal, ModelReservation, ModelSettlement } from '#store/models/model-calls.ts'
import { gatedStep } from '#test/support/gated-step.ts'
import { scriptedModels } from '#test/support/scripted-models.ts'

const HALTED: ModelRefusal = { refused: 'halted', halt_id: 'hlt_1' }
const USAGE = { input: 100, output: 10, cached: 0, cache_write: 0, reasoning: 0 }
/** at the prices of scripted models */
const COST = 20_000

/** Ports of a model that always says something that does not fit, and a record that refuses the calls from `until` on. */
function ports(refusal: ModelRefusal | undefined, until = 0) {
  const reserved: ModelReservation[] = []
  const settled: ModelSettlement[] = []
  const answer: ChatAnswer = { content: '{}', tool_calls: [], finish: 'stop', usage: USAGE }
  const models: ModelPorts = {
    models: { bound: () => scriptedModels('http://127.0.0.1:1/v1') },
    upstream: {
      ...createModelUpstream({
        env: {},
        endpoint: { base_url: undefined, key: undefined },
        fetch: () => Promise.reject(new Error('nothing is sent')),
      }),
      generate: async () => answer,
      stream: () => {
        throw new Error('a step does not stream')
      },
      embed: async () => {
        throw new Error('a step makes no vectors')
      },
    },
    model_calls: {
      run: async () => undefined,
      async reserve(reservation) {
        if (refusal !== undefined && reserved.length >= until) return refusal
        reserved.push(reservation)
        return undefined
      },
      async settle(settlement) {
        settled.push(settlement)
        return settlement.charged_micro_usd
      },
      renew: async () => undefined,
      settleLost: async () => 0,
    },
    leases: { hold: () => undefined, drop: () => undefined, lose: () => undefined },
  }
  return { models, reserved, settled }
}

const INPUT: JsonObject = { prompt: 'Why?', actions: ['restart'], max_tokens: 5 }
const settles = ({ patches }: ReturnType<typeof gatedStep>) =>
  patches.map(({ settle }) => settle).filter((each) => each !== undefined)

describe('calls of a step', () => {
  it('are reserved for the attempt that the step was judged and opened for', async () => {
    const { models, reserved } = ports(undefined)
    const step = gatedStep({ operator: 'llm.generate', input: INPUT, requires_approval: false, deps: { models } })
    await expect(step.ask()).rejects.toThrow('model_output_invalid')
    expect(reserved).toHaveLength(2)
    expect(reserved[0]).toMatchObject({
      step: { step_id: 'act', attempt: 1, fence: 1, plan_hash: step.patches[0]?.open?.plan_hash },
      record: { actor: { type: 'system', id: 'svc' }, data: { step: 'act', step_attempt: 1 } },
    })
    // the step itself reserves nothing, and is charged what its calls were
    expect(step.patches[0]?.open).toMatchObject({ reserve_micro_usd: 0 })
    expect(settles(step)).toMatchObject([{ state: 'failed', llm_micro_usd: 2 * COST, overrun_micro_usd: 0 }])
  })

  it('that may not begin leave the step as if it had not been opened', async () => {
    const step = gatedStep({ operator: 'llm.generate', input: INPUT, requires_approval: false, deps: ports(HALTED) })
    await expect(step.ask()).rejects.toThrow('delayed')
    expect(settles(step)).toMatchObject([{ state: 'ready', attempt: 0, unsent: true }])
  })

  it('stay charged where a later one may not begin, and the step waits', async () => {
    const step = gatedStep({ operator: 'llm.generate', input: INPUT, requires_approval: false, deps: ports(HALTED, 1) })
    await expect(step.ask()).rejects.toThrow('delayed')
    expect(settles(step)).toMatchObject([{ state: 'ready', attempt: 1, llm_micro_usd: COST }])
    expect(settles(step)[0]).not.toHaveProperty('unsent')
  })

  it('are for operators whose capabilities name a model', async () => {
    const { models, reserved } = ports(undefined)
    let given: unknown = 'nothing yet'
    const step = gatedStep({
      operator: {
        ...{ id: 'any.other', version: 1, title: 'Another', risk: 'low', action_type: 'any.other', capabilities: [] },
        ...{ requires_approval: false, input_schema: {}, parse: (input) => input, replay: () => 'safe' },
        describe: () => ({ summary: '', targets: { kind: 'any', ids: [] } }),
        async execute(ctx) {
          given = ctx.models
          return { outputs: {} }
        },
      },
      input: {},
      requires_approval: false,
      deps: { models },
    })
    await step.ask()
    expect([given, reserved]).toEqual([undefined, []])
  })

  it('hide the secrets of the run where their texts are on record', async () => {
    const { models, settled } = ports(undefined)
    const profile = () => ({ name: 'frank', requires_approval: [], audit: { model_texts: true } })
    const step = gatedStep({
      operator: 'llm.generate',
      input: { ...INPUT, prompt: 'Is {{ inputs.token }} good?' },
      sealed: { '/token': 'a-secret-of-the-run' },
      requires_approval: false,
      deps: { models, environments: { get: (name) => ({ ...step.environment, name }), profile } },
    })
    await expect(step.ask()).rejects.toThrow('model_output_invalid')
    const texts = JSON.stringify(settled.map(({ audit }) => audit.data))
    expect(texts).toContain('<secret:token>')
    expect(texts + JSON.stringify(step.patches)).not.toContain('a-secret-of-the-run')
  })

  it('are not made while a step is simulated', async () => {
    const { models, reserved } = ports(undefined)
    const dry = gatedStep({
      operator: 'llm.generate',
      input: INPUT,
      requires_approval: false,
      dry_run: true,
      deps: { models },
    })
    await dry.ask()
    expect(reserved).toEqual([])
    expect(JSON.stringify(dry.settled())).toContain('worst_case_usd')
  })
})
