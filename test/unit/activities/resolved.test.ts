import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { Profile, QueueBinding } from '#core/environment/environment.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Model, ModelRoles } from '#core/models/model.ts'
import { createModelUpstream } from '#platform/models/upstream.ts'
import type { ModelPorts } from '#services/models/model-ports.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { type GatedStep, type GatedStepOptions, gatedStep } from '#test/support/gated-step.ts'
import { PRICES } from '#test/support/scripted-models.ts'
import { workerKey } from '#test/support/worker-key.ts'

const started: Canary[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})
const canary = async () => {
  const one = await startCanary((_request, response) => {
    const message = { role: 'assistant', content: 'yes' }
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
  })
  started.push(one)
  return one
}

interface World {
  step: GatedStep
  targets: Canary[]
  models: Model[]
  roles: ModelRoles
  env: Record<string, string>
  profile: Profile
  deployment: JsonObject
}

/** A step that asks a model through a connectionless operator, beside one that goes through a connection. */
async function world(kind: 'model' | 'connection' | 'deployment'): Promise<World> {
  const [one, other] = [await canary(), await canary()]
  const model = (id: string, url: string): Model => ({
    ...{ id, model: id, provider: 'openai_compatible', base_url: `${url}/v1`, key: `env:${id.toUpperCase()}` },
    ...{ prices: PRICES, limits: { context: 8_000, output: 100 }, timeout_ms: 5_000, structured_outputs: true },
  })
  const held = {
    targets: [one, other],
    models: [model('first', one.url), model('second', other.url)],
    roles: { default: { model: 'first', fallback: 'second' } } as ModelRoles,
    env: { FIRST: 'sk-1', SECOND: 'sk-2', THIRD: 'sk-3' } as Record<string, string>,
    profile: { name: 'default', requires_approval: [] } as Profile,
    deployment: { backups: '/var/backups' } as JsonObject,
  }
  const ports: ModelPorts = {
    models: { bound: () => ({ models: held.models, roles: held.roles }) },
    upstream: createModelUpstream({ env: held.env, endpoint: { base_url: undefined, key: undefined }, fetch }),
    model_calls: {
      run: async () => undefined,
      reserve: async () => undefined,
      settle: async ({ charged_micro_usd }) => charged_micro_usd,
      renew: async () => undefined,
      settleLost: async () => 0,
    },
    leases: { hold: () => undefined, drop: () => undefined, lose: () => undefined },
  }
  const options: GatedStepOptions =
    kind === 'model'
      ? {
          operator: 'llm.generate',
          input: { prompt: 'Is {{ inputs.token }} it?' },
          sealed: { '/token': 'openai_compatible' },
        }
      : kind === 'connection'
        ? {
            operator: 'http.request',
            input: { method: 'POST', url: '/restart', connection: 'api' },
            connections: { api: one.url.replace('://', '://svc:old@') },
          }
        : {
            operator: {
              ...{
                id: 'test.keep',
                version: 1,
                title: 'Keep',
                risk: 'low',
                action_type: 'test.keep',
                capabilities: [],
              },
              ...{ requires_approval: true, input_schema: {}, parse: (input) => input, replay: () => 'safe' },
              describe: () => ({ summary: 'keep', targets: { kind: 'test', ids: [] } }),
              deployment: () => held.deployment,
              queue: () => 'ml',
              async execute() {
                await fetch(one.url)
                return { outputs: {} }
              },
            },
            input: {},
          }
  const step = gatedStep({
    ...options,
    deps: {
      models: ports,
      environments: { get: () => structuredClone(step.environment), profile: () => held.profile },
    },
  })
  if (kind === 'deployment') step.environment.queues = { ml: { task_queue: 'ml-gpu' } }
  return { ...held, step }
}

interface Case {
  /** the row of the table in docs/decisions.md */
  covered: string
  what: string
  kind?: 'connection' | 'deployment'
  change(world: World): void
  says: string
}

const [MODELS, CONNECTION] = ['the models that may answer', 'the connection']
const changed = (index: number, changes: Partial<Model>) => (w: World) => {
  const model = w.models[index]
  if (model !== undefined) w.models[index] = { ...model, ...changes }
}
const rebound = (binding: QueueBinding) => (w: World) => {
  w.step.environment.queues = { ml: binding }
}
const CASES: Case[] = [
  ...[
    { what: 'another task queue', change: rebound({ task_queue: 'other' }) },
    { what: 'a key of its worker', change: rebound({ task_queue: 'ml-gpu', attest: workerKey().attest }) },
  ].map((each) => ({
    ...{ covered: 'queue of [an external worker](remote-jobs.md)', kind: 'deployment' as const },
    ...{ says: 'the queue of the worker', ...each },
  })),
  {
    covered: 'role',
    what: 'a role',
    says: MODELS,
    change: (w) => Object.assign(w.roles, { default: { model: 'second' } }),
  },
  {
    covered: 'role',
    what: "a profile's role",
    says: MODELS,
    change: (w) => Object.assign(w.profile, { model_roles: { default: { model: 'second' } } }),
  },
  {
    covered: 'fallback',
    what: 'the fallback',
    says: MODELS,
    change: (w) => Object.assign(w.roles, { default: { model: 'first' } }),
  },
  { covered: 'provider', what: 'the provider', says: MODELS, change: changed(0, { provider: 'openai' }) },
  { covered: 'name at the provider', what: 'the name', says: MODELS, change: changed(0, { model: 'another' }) },
  {
    covered: 'address',
    what: 'the address',
    says: 'http://127.0.0.1:9/v1',
    change: changed(0, { base_url: 'http://127.0.0.1:9/v1' }),
  },
  {
    covered: 'address',
    what: "the fallback's address",
    says: 'http://127.0.0.1:9/v1',
    change: changed(1, { base_url: 'http://127.0.0.1:9/v1' }),
  },
  {
    covered: 'address',
    what: 'what an address does not show',
    says: 'another secret',
    change: (w) => changed(0, { base_url: `${w.targets[0]?.url}/v1?tenant=2` })(w),
  },
  {
    covered: 'price',
    what: 'the price',
    says: '1 USD in',
    change: changed(0, { prices: { ...PRICES, input: 1_000_000 } }),
  },
  {
    covered: 'limits',
    what: 'the limits',
    says: MODELS,
    change: changed(0, { limits: { context: 8_000, output: 99 } }),
  },
  { covered: 'timeout', what: 'the timeout', says: MODELS, change: changed(0, { timeout_ms: 4_000 }) },
  {
    covered: 'structured outputs',
    what: 'structured outputs',
    says: MODELS,
    change: changed(0, { structured_outputs: false }),
  },
  { covered: 'key of a model', what: 'the reference', says: MODELS, change: changed(0, { key: 'env:THIRD' }) },
  {
    covered: 'key of a model',
    what: 'the value',
    says: 'a key or another secret',
    change: (w) => Object.assign(w.env, { FIRST: 'sk-9' }),
  },
  {
    covered: 'texts on record',
    what: 'what goes on record',
    says: MODELS,
    change: (w) => Object.assign(w.profile, { audit: { model_texts: true } }),
  },
  {
    covered: 'connection',
    what: 'where it leads',
    kind: 'connection',
    says: CONNECTION,
    change: (w) => Object.assign(w.step.connections, { api: w.targets[1]?.url }),
  },
  {
    covered: 'secret of a connection',
    what: 'its password',
    kind: 'connection',
    says: 'another secret',
    change: (w) => Object.assign(w.step.connections, { api: w.targets[0]?.url.replace('://', '://svc:new@') }),
  },
  {
    covered: 'egress',
    what: 'what may be reached',
    kind: 'connection',
    says: '10.0.0.0/8',
    change: (w) => void w.step.environment.egress.push('10.0.0.0/8'),
  },
  {
    covered: 'deployment',
    what: 'the directory of backups',
    kind: 'deployment',
    says: '/mnt/other',
    change: (w) => Object.assign(w.deployment, { backups: '/mnt/other' }),
  },
]

describe('while a gate is open', () => {
  test.each(CASES)('another $covered ($what) is another plan, and nothing is sent', async ({ kind, change, says }) => {
    const w = await world(kind ?? 'model')
    const before = await w.step.ask()
    expect(before?.plan_hash).toMatch(/^sha256:/)
    change(w)
    w.step.approve()
    const after = await w.step.ask()
    expect(after?.because[0]).toBe('plan_changed')
    expect(after?.plan_hash).not.toBe(before?.plan_hash)
    const sentence = after?.because.at(-1)
    expect(sentence).toMatch(/^changed since this was approved: /)
    expect(sentence).toContain(says)
    expect(w.targets.flatMap(({ requests }) => requests)).toEqual([])
    // no secret is told
    expect(JSON.stringify([before, after, w.step.patches])).not.toMatch(/sk-\d|svc:(old|new)@/)
  })

  test.each(['model', 'connection', 'deployment'] as const)('a %s as it was shown is what is used', async (kind) => {
    const w = await world(kind)
    await w.step.ask()
    w.step.approve()
    expect(await w.step.ask()).toBeUndefined()
    expect(w.targets.map(({ requests }) => requests.length)).toEqual([1, 0])
  })
})

test('a token that was refreshed is the plan that was approved, another authorisation is not', async () => {
  const target = await canary()
  let [token, covered] = ['one', 'the first grant']
  const step = gatedStep({
    ...{ operator: 'http.request', input: { method: 'POST', url: '/restart', connection: 'api' } },
    deps: {
      connect: async () => ({ kind: 'http', url: target.url.replace('://', `://:${token}@`), covered }),
    },
  })
  await step.ask()
  step.approve()
  ;[token, covered] = ['two', 'another grant']
  expect((await step.ask())?.because.at(-1)).toMatch(/^changed since this was approved: the connection/)
  step.approve()
  token = 'three'
  expect(await step.ask()).toBeUndefined()
  expect(target.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer three'])
})

test('an approver reads each model that may answer, and where it is asked', async () => {
  const pending = await (await world('model')).step.ask()
  expect(pending?.operation.models).toMatchObject({
    name: 'default',
    candidates: [
      {
        id: 'first',
        base_url: expect.stringContaining('/v1'),
        key: 'env:FIRST',
        prices: PRICES,
      },
      { id: 'second', base_url: expect.stringContaining('/v1'), key: 'env:SECOND' },
    ],
  })
})

test('the table of what is covered, in docs/decisions.md, has a test for each of its rows', () => {
  const text = readFileSync(new URL('../../../docs/decisions.md', import.meta.url), 'utf8')
  const [, table = ''] = text.split('| what a step is resolved through |')
  const rows = table.split('\n\n')[0]?.matchAll(/^\| ([^|]+?) \|/gm) ?? []
  const documented = [...rows].map(([, name]) => name).filter((name) => !/^-+$/.test(name ?? ''))
  expect(new Set(documented)).toEqual(new Set(CASES.map(({ covered }) => covered)))
})
