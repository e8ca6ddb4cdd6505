import { describe, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { judgeStep } from '#activities/step/judge.ts'
import type { Resolved } from '#activities/step/resolved.ts'
import { workOn } from '#activities/step/work.ts'
import type { FreezeWindow } from '#core/freeze/freeze-window.ts'
import type { JsonObject } from '#core/json/json.ts'
import { checkPlan } from '#core/plan/check-plan.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER, joinLayers } from '#core/policy/layer.ts'
import { parsePolicies } from '#core/policy/parse.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const operators = createOperators({ egress: createEgressClient() })
const hash = (text: string) => String(text.length)

interface Case {
  second_connection?: Resolved['second_connection']
  method?: string
  template?: JsonObject
  step?: JsonObject
  policies?: object[]
  profile?: string[]
  freeze?: FreezeWindow[]
}

/** Judges one `http.request` of a template in production. */
async function judge({
  method = 'GET',
  template = {},
  step = {},
  policies = [],
  profile = [],
  freeze = [],
  second_connection,
}: Case) {
  const input = { method, url: 'https://shop.example.test/restart' }
  const spec = TemplateSpec.parse({
    apiVersion: 'svc/v1',
    id: 't',
    title: 'T',
    risk: 'low',
    ...template,
    steps: [{ id: 'act', operator: 'http.request', with: input, ...step }],
  })
  const { plan } = checkPlan(spec, { name: 'p', version: '1.0.0', digest: '' }, operators, hash)
  const operator = operators.get('http.request')
  const compiled = plan?.steps[0]
  if (plan === undefined || compiled === undefined || operator === undefined) throw new Error('no plan')
  const environment = { ...operatorContext().environment, name: 'production', class: 'production' as const, freeze }
  const reads = { name: 'reads', applies_to: { action_types: ['read'] }, rules: [{ effect: 'allow_auto' }] }
  const overlay = joinLayers([reads, ...policies].map((each) => parsePolicies(each, { layer: 'overlay', source: 'o' })))
  const layers = { pack: EMPTY_LAYER, overlay, console: EMPTY_LAYER }
  const deps = {
    policies: { effective: async () => compilePolicies({ layers, environment }, { hash }) },
    environments: { get: () => environment, profile: () => ({ name: 'default', requires_approval: profile }) },
    clock: () => Date.parse('2026-06-01T12:00:00Z'),
    log: { info: () => undefined, warn: () => undefined },
    sha256: hash,
  }
  const head = { id: 'run_1', workspace_id: 'ws_1', profile: 'default' }
  const session = { head, plan, environment, redactor: createRedactor([]) }
  const work = workOn(deps as never, session as never, compiled)
  const resolved = {
    environment,
    connection: undefined,
    second_connection,
    tool: undefined,
    models: undefined,
    queue: undefined,
    deployment: undefined,
  }
  return await judgeStep(work, { operator, input: operator.parse(input), resolved, idempotency_key: '' })
}

const RESTART = { action_type: 'service.restart' }
const FREEZE: FreezeWindow = {
  name: 'weekend',
  interval: { from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' },
  scope: 'writes',
  freeze_approvers: [],
}

describe('a step that acts', () => {
  it.each<[string, Case]>([
    ['declares itself a read', { step: { action_type: 'read' } }],
    ['stands in a template that declares only reads', { template: { action_types: ['read'] } }],
    ['does both', { step: { action_type: 'read' }, template: { action_types: ['read'] } }],
  ])('is asked about in production, also when it %s', async (_, given) => {
    const judged = await judge({ method: 'POST', ...given })
    expect(judged).toMatchObject({ is_read: false, action_type: 'http.write', gate: { on: true } })
    expect(judged.verdict).toMatchObject({ effect: 'require_hitl', matched: [] })
  })

  it.each<[string, Case]>([
    ['by a higher risk', { template: { risk: 'high' }, policies: [denies({ risks: ['medium'] })] }],
    ['by another type', { step: RESTART, policies: [denies({ action_types: ['http.write'] })] }],
  ])('does not get away from a policy %s than its operator says', async (_, given) => {
    expect((await judge({ method: 'POST', ...given })).verdict.effect).toBe('deny')
  })
})

describe('a GET that is declared an effect', () => {
  it('is none of the reads that run unattended', async () => {
    const judged = await judge({ step: RESTART })
    expect(judged).toMatchObject({ is_read: false, action_type: 'service.restart', gate: { on: true } })
    expect(judged.gate.because).toEqual([
      'no policy lets through all that this step is, and here that requires a person',
    ])
  })

  it.each(['deny', 'require_hitl', 'require_dry_run'])('meets %s for what it declares', async (effect) => {
    const policy = { name: 'one', applies_to: { action_types: ['service.restart'] }, rules: [{ effect }] }
    expect((await judge({ step: RESTART, policies: [policy] })).verdict.matched).toContainEqual(
      expect.objectContaining({ name: 'one', effect }),
    )
  })

  it('meets the profile’s list and the freezes on writes', async () => {
    const allowed = { name: 'all', rules: [{ effect: 'allow_auto' }] }
    expect((await judge({ step: RESTART, policies: [allowed] })).gate.on).toBe(false)
    const listed = await judge({ step: RESTART, policies: [allowed], profile: ['service.restart'] })
    expect(listed.gate.because).toEqual(['the profile requires approval for this action type'])
    expect((await judge({ step: RESTART, policies: [allowed], freeze: [FREEZE] })).gate.frozen).toBe(true)
  })

  it('meets the profile’s list in whichever form of Unicode either says it', async () => {
    const allowed = { name: 'all', rules: [{ effect: 'allow_auto' }] }
    const [one, other] = ['café.öffnen'.normalize('NFC'), 'café.öffnen'.normalize('NFD')]
    for (const [step, profile] of [
      [one, other],
      [other, one],
    ])
      expect(
        (await judge({ step: { action_type: step ?? '' }, policies: [allowed], profile: [profile ?? ''] })).gate.on,
      ).toBe(true)
  })

  it('is known by its own type also where that is its operator’s usual one', async () => {
    expect(await judge({ step: { action_type: 'http.write' } })).toMatchObject({ is_read: false })
  })
})

describe('a read', () => {
  it.each<[string, Case]>([
    ['that declares nothing', {}],
    ['that says so itself', { step: { action_type: 'read' } }],
    ['of a template whose other steps act', { template: { action_types: ['service.restart'] } }],
  ])('%s runs unattended, also in a freeze on writes', async (_, given) => {
    const judged = await judge({ ...given, freeze: [FREEZE] })
    expect(judged).toMatchObject({ is_read: true, action_type: 'read', gate: { on: false } })
    expect(judged.verdict.effect).toBe('allow_auto')
  })
})

function denies(applies_to: object): object {
  return { name: 'no', applies_to, rules: [{ effect: 'deny' }] }
}

describe('a step with a second connection', () => {
  const store = (host: string): Resolved['second_connection'] => ({
    ...{ id: 'vault', kind: 'http', url: `https://:token@${host}/v1/` },
    target: { kind: 'http', host, base_url: `https://${host}/v1/` },
  })

  it('is another plan where it leads elsewhere, and hashes of steps without one stay what they were', async () => {
    const [none, one, other] = await Promise.all(
      [undefined, store('a.example.test'), store('other.example.test')].map((second_connection) =>
        judge({ second_connection }),
      ),
    )
    expect(Object.keys(none?.covers ?? {})).not.toContain('second_connection')
    expect(one?.covers['second_connection']?.text).toBe('vault (http https://a.example.test/v1/)')
    expect(new Set([none, one, other].map((each) => each?.plan_hash)).size).toBe(3)
  })
})
