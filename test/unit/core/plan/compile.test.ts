import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { llmGenerate } from '#activities/operators/llm/generate.ts'
import { type Json, type JsonObject, jsonPointer } from '#core/json/json.ts'
import { checkInput } from '#core/plan/check-input.ts'
import { checkPlan } from '#core/plan/check-plan.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import type { Plan } from '#core/plan/types.ts'
import { stubCatalog } from './stub-catalog.ts'

const pack = { name: 'sre', version: '1.0.0', digest: 'sha256:pack' }
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const evidence = { id: 'evidence', operator: 'http.request', with: { method: 'GET', url: `\${{ inputs.url }}/health` } }
const base = {
  apiVersion: 'svc/v1',
  id: 'recovery',
  title: 'Recover',
  risk: 'medium',
  action_types: ['service.restart'],
  inputs: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  outputs: { status: `\${{ steps.evidence.outputs.status }}` },
  steps: [evidence],
}

function compile(changes: JsonObject = {}, of = pack): Plan {
  const { plan, faults } = checkPlan(TemplateSpec.parse({ ...base, ...changes }), of, stubCatalog, hash)
  if (plan === undefined) throw new Error(faults.map(({ message }) => message).join('; '))
  return plan
}

function faults(changes: JsonObject): string[] {
  const checked = checkPlan(TemplateSpec.parse({ ...base, ...changes }), pack, stubCatalog, hash)
  return checked.faults.map(
    ({ path, message, offset }) => `${jsonPointer(path)}${offset ? `@${offset}` : ''}: ${message}`,
  )
}

const step = (changes: JsonObject): JsonObject => ({ steps: [evidence, { ...evidence, id: 'act', ...changes }] })

describe('what a template writes out', () => {
  const check = (given: JsonObject) =>
    checkInput(given, llmGenerate, ['with']).map(({ path, message }) => [path, message])

  it('is filled in by no expression: neither the question, nor the schema, nor the actions', () => {
    const written = {
      prompt: 'Why?',
      schema: { type: 'object' },
      actions: ['restart'],
      data: { log: `\${{ inputs.log }}` },
    }
    expect(check(written)).toEqual([])
    for (const [field, value] of Object.entries({
      prompt: `Why \${{ inputs.question }}?`,
      schema: { type: 'object', properties: { why: { const: `\${{ inputs.why }}` } } },
      actions: [`\${{ inputs.action }}`],
    }))
      expect(check({ ...written, [field]: value })).toContainEqual([
        ['with', field],
        expect.stringContaining('no expression fills it in'),
      ])
    expect(check({ ...written, actions: `\${{ inputs.actions }}` })).toHaveLength(1)
  })

  it('has a schema that is one', () => {
    expect(check({ prompt: 'Why?', schema: { type: 'strange' } })).toEqual([
      [['with', 'schema'], expect.stringContaining('not a valid JSON Schema')],
    ])
  })
})

describe('a default that its own schema refuses', () => {
  const inputs = (properties: JsonObject, more: JsonObject = {}) => ({
    inputs: { type: 'object', properties: { url: { type: 'string' }, ...properties }, ...more },
  })

  it.each<[JsonObject, string[]]>([
    [{ n: { type: 'integer', default: '3' } }, ['/inputs/properties/n/default: default must be integer']],
    [{ n: { type: 'integer', maximum: 3, default: 4 } }, ['/inputs/properties/n/default: default must be <= 3']],
    [{ e: { enum: ['a', 'b'], default: 'c' } }, ['/inputs/properties/e/default: default must be one of "a", "b"']],
    [
      { p: { type: 'string', pattern: '^[0-9]+s$', default: '5m' } },
      ['/inputs/properties/p/default: default must match pattern "^[0-9]+s$"'],
    ],
    [
      { o: { type: 'object', properties: { n: { type: 'integer', default: true } } } },
      ['/inputs/properties/o/properties/n/default: default must be integer'],
    ],
    [
      { l: { type: 'array', items: { type: 'string' }, default: [1] } },
      ['/inputs/properties/l/default: 0 must be string'],
    ],
    [{ r: { $ref: '#/$defs/small', default: 9 } }, ['/inputs/properties/r/default: default must be <= 5']],
    [
      {
        default: { type: 'integer', default: 3 },
        n: { type: 'integer', default: 3 },
        r: { $ref: '#/$defs/small', default: 5 },
      },
      [],
    ],
  ])('%j is found when it is loaded', (properties, expected) => {
    expect(faults(inputs(properties, { $defs: { small: { type: 'integer', maximum: 5 } } }))).toEqual(expected)
  })
})

it('an expression whose type the operator never takes is found when it is loaded', () => {
  const given = (json: JsonObject) => faults(step({ with: { method: 'GET', url: 'http://x.test', ...json } }))
  expect(given({ accept_status: `\${{ inputs.url }}` })).toEqual([
    '/steps/1/with/accept_status: accept_status of http.request has the type array, but this has the type string',
  ])
  expect(given({ accept_status: [`\${{ inputs.url }}`] })).toHaveLength(1)
  expect(given({ url: `\${{ 1 + 1 }}` })).toHaveLength(1)
  expect(given({ accept_status: `\${{ steps.evidence.outputs.list }}`, json: `\${{ inputs.url }}` })).toEqual([])
})

describe('the plan of a template', () => {
  it('carries everything a run needs, with defaults', () => {
    expect(compile()).toEqual({
      v: 1,
      pack: 'sre',
      template: 'recovery',
      pack_version: '1.0.0',
      pack_digest: 'sha256:pack',
      title: 'Recover',
      risk: 'medium',
      action_types: ['service.restart'],
      capabilities: ['http.egress'],
      steps: [
        {
          id: 'evidence',
          name: 'evidence',
          operator: 'http.request',
          operator_version: 3,
          with: { method: 'GET', url: `\${{ inputs.url }}/health` },
          requires_approval: false,
          action_type: 'http.write',
          risk: 'medium',
          capabilities: ['http.egress'],
          timeout_ms: 60_000,
          retry: { max_attempts: 3, initial_ms: 1_000, backoff: 2, max_ms: 30_000 },
        },
      ],
      outputs: { status: `\${{ steps.evidence.outputs.status }}` },
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
  })

  it('takes what a step says over the defaults', () => {
    const act = {
      name: 'Act',
      when: 'steps.evidence.outputs.status != 200',
      requires_approval: true,
      action_type: 'service.restart',
      timeout: '1.5m',
      retry: { max_attempts: 1, initial: '250ms' },
    }
    expect(compile(step(act)).steps[1]).toMatchObject({
      operator_type: 'http.write',
      name: 'Act',
      when: 'steps.evidence.outputs.status != 200',
      requires_approval: true,
      action_type: 'service.restart',
      timeout_ms: 90_000,
      retry: { max_attempts: 1, initial_ms: 250, backoff: 2, max_ms: 30_000 },
    })
  })

  it('has the same digest for the same template, no matter what the order of its keys, and another for any change', () => {
    const { digest } = compile()
    const turned = Object.fromEntries(Object.entries(base).reverse())
    expect(checkPlan(TemplateSpec.parse(turned), pack, stubCatalog, hash).plan?.digest).toBe(digest)
    expect(compile({ title: 'Other' }).digest).not.toBe(digest)
    expect(compile({}, { ...pack, digest: 'sha256:other' }).digest).not.toBe(digest)
    expect(digest).toBe('sha256:474dd7d40d92ccef6900150e959d74954d32c1210d8025f87c8e5d76669823dd')
  })

  it.each<[string, JsonObject, string[]]>([
    ['an unknown operator', step({ operator: 'nope' }), ['/steps/1/operator: unknown operator nope']],
    ['a repeated id', { steps: [evidence, evidence] }, ['/steps/1/id: step id evidence is used twice']],
    [
      'a step that comes later',
      {
        steps: [
          { ...evidence, when: 'steps.act.outputs.ok' },
          { ...evidence, id: 'act' },
        ],
      },
      ['/steps/0/when: step act has not run yet at this point; refer to an earlier step'],
    ],
    [
      'the step itself',
      step({ with: { method: 'GET', url: `http://x/\${{ steps.act.outputs.id }}` } }),
      ['/steps/1/with/url@13: step act has not run yet at this point; refer to an earlier step'],
    ],
    [
      'an unknown step',
      { outputs: { a: `\${{ steps.nope.outputs.b }}` } },
      ['/outputs/a@4: there is no step nope: there are evidence'],
    ],
    [
      'a step member that does not exist',
      { outputs: { a: `\${{ steps.evidence.json }}` } },
      ['/outputs/a@4: a step has outputs and status, not json; write steps.evidence.outputs.json'],
    ],
    [
      'an undeclared input',
      step({ when: 'inputs.uri != ""' }),
      ['/steps/1/when: there is no inputs.uri: there are url; did you mean url?'],
    ],
    [
      'an unknown variable',
      step({ when: 'env.HOME != ""' }),
      ['/steps/1/when: unknown variable env: there are inputs, steps, run, trigger'],
    ],
    [
      'an unknown run member',
      step({ when: 'run.user != ""' }),
      ['/steps/1/when: there is no run.user: there are id, workspace_id, environment, lane, reason, decisions'],
    ],
    [
      'a condition in braces',
      step({ when: `\${{ true }}` }),
      [`/steps/1/when: this is bare CEL: write it without \${{ }}`],
    ],
    [
      'a condition that is no condition',
      step({ when: '1 + 1' }),
      ['/steps/1/when: a condition is true or false, this is a int'],
    ],
    ['broken syntax', { outputs: { a: `x \${{ 1 + }}` } }, ['/outputs/a@10: expression `1 +`: Unexpected token: EOF']],
    [
      'a literal that the operator refuses',
      step({ with: { method: 'PUT', url: 'http://x' } }),
      ['/steps/1/with/method: method must be one of "GET", "POST"'],
    ],
    ['a missing field', step({ with: { method: 'GET' } }), ['/steps/1/with/url: url is required']],
    [
      'an unknown field',
      step({ with: { ...evidence.with, methd: 'GET' } }),
      ['/steps/1/with/methd: methd is not known here; did you mean method?'],
    ],
    [
      'the scope given by hand',
      step({ operator: 'report.render', with: { title: 'a', body: 'b', scope: {} } }),
      ['/steps/1/with/scope: scope is set by the engine'],
    ],
    [
      'a wait for something that is not the response',
      step({ operator: 'http.verify', with: { url: 'http://x', until: 'response.code == inputs.url' } }),
      [
        '/steps/1/with/until: there is no response.code: there are status, headers, json, text',
        '/steps/1/with/until@17: unknown variable inputs: there are response',
      ],
    ],
    [
      'a broken inputs schema',
      { inputs: { type: 'strin' } },
      [expect.stringContaining('/inputs: not a valid JSON Schema')],
    ],
    ...(
      [
        { patternProperties: { '^token_': { type: 'string', writeOnly: true } } },
        { additionalProperties: { type: 'string', format: 'password' } },
        { writeOnly: true },
      ] as JsonObject[]
    ).map((declared): [string, JsonObject, string[]] => [
      `secrets without a name: ${JSON.stringify(declared)}`,
      { inputs: { ...base.inputs, ...declared } },
      ['/inputs: a secret needs a name: declare it under properties, or under those of an object'],
    ]),
    ...(
      [
        [{ $ref: 'https://svc.example.test/inputs#/$defs/key' }, "can't resolve reference"],
        [{ $id: 'more', type: 'string' }, 'the JSON Schema has an $id inside'],
      ] as [JsonObject, string][]
    ).map(([key, why]): [string, JsonObject, string[]] => [
      `a schema by an id: ${JSON.stringify(key)}`,
      {
        inputs: {
          ...base.inputs,
          $id: 'https://svc.example.test/inputs',
          properties: { ...base.inputs.properties, key },
          $defs: { key: { type: 'string', writeOnly: true } },
        },
      },
      [expect.stringContaining(why)],
    ]),
    ...(
      [
        ['$ref #key', { $ref: '#key' }],
        ['$dynamicRef #key', { $dynamicRef: '#key' }],
      ] as [string, JsonObject][]
    ).map(([reference, key]): [string, JsonObject, string[]] => [
      `a reference behind which a secret would not be found: ${reference}`,
      {
        inputs: {
          ...base.inputs,
          properties: { ...base.inputs.properties, key },
          $defs: { key: { $dynamicAnchor: 'key', type: 'string', writeOnly: true } },
        },
      },
      [`/inputs: ${reference}: refer with $ref to a place in this schema (#/$defs/…), so that its secrets are found`],
    ]),
  ])('refuses %s', (_what, changes, expected) => expect(faults(changes)).toEqual(expected))

  it('leaves values that hold expressions to the run', () => {
    const dynamic: Json = { method: `\${{ inputs.url }}`, url: `\${{ inputs.url }}`, accept_status: [`\${{ 200 }}`] }
    expect(faults(step({ with: dynamic }))).toEqual([])
  })

  it.each([
    ['a duration without a unit', { steps: [{ ...evidence, timeout: '30' }] }],
    ['more than 200 steps', { steps: Array.from({ length: 201 }, (_, index) => ({ ...evidence, id: `s${index}` })) }],
    ['no steps', { steps: [] }],
    ['a key that does nothing', { steps: [{ ...evidence, compensate: 'x' }] }],
    ['a step id that expressions cannot name', { steps: [{ ...evidence, id: 'a-b' }] }],
  ])('does not read a template with %s', (_what, changes) =>
    expect(TemplateSpec.safeParse({ ...base, ...changes }).success).toBe(false),
  )
})
