import { z } from 'zod'
import { RISKS } from '../policy/types.ts'

const Effect = z.enum(['deny', 'require_hitl', 'require_dry_run', 'allow_auto', 'unknown'])
const Match = z.object({ name: z.string(), layer: z.string(), effect: z.string(), reason: z.string() })
const Gate = z.object({
  possible: z.boolean().meta({ description: 'It may need approval' }),
  because: z.array(z.string()),
})

export const CHECKS = [
  'inputs',
  'environment',
  'connections',
  'queues',
  'policy',
  'freezes',
  'halts',
  'budget',
  'caller',
] as const

export const Preflight = z
  .object({
    verdict: z.enum(['ready', 'blocked']).meta({ description: 'blocked: a check failed' }),
    checks: z.array(
      z.object({
        id: z.enum(CHECKS),
        status: z.enum(['pass', 'warn', 'fail', 'skipped']),
        message: z.string(),
        fix: z.string().optional().meta({ description: 'What helps' }),
        evidence: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    policy: z.object({ effect: Effect, matched: z.array(Match) }),
    gates_expected: z.array(
      z.object({
        step: z.string(),
        because: z.array(z.string()),
        approval_roles: z.array(z.array(z.string())).meta({ description: 'All of these clauses, any role of each' }),
      }),
    ),
    estimate_usd: z
      .number()
      .nullable()
      .meta({ description: 'At most; null where it is not known before inputs are rendered' }),
    environment: z.string().nullable().meta({ description: 'Where it would run; null where there is no such place' }),
    profile: z.string().nullable().meta({ description: 'Under which profile' }),
    config_preset: z.string().nullable().meta({ description: 'The config preset that fills in inputs' }),
    inputs: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What it would start with: over the preset and the defaults; secrets are left out' }),
    plan_hash: z.string().meta({
      description:
        'Of what was checked: the template, the inputs, the place, the preset and what the policies say. A start with it is refused once any of that is another',
    }),
    expires_at: z.iso.datetime().meta({ description: 'Until when the checks may be taken for current' }),
  })
  .meta({
    id: 'Preflight',
    description: 'What a start would meet now. Nothing was started and nothing is on record.',
    example: {
      verdict: 'ready',
      checks: [{ id: 'inputs', status: 'pass', message: 'the inputs fit the template' }],
      policy: { effect: 'allow_auto', matched: [] },
      gates_expected: [],
      estimate_usd: 0,
      environment: 'development',
      profile: 'default',
      config_preset: null,
      inputs: { url: 'http://127.0.0.1:8080', action: 'restart' },
      plan_hash: `sha256:${'d'.repeat(64)}`,
      expires_at: '2026-01-05T09:35:00.000Z',
    },
  })
export type Preflight = z.infer<typeof Preflight>
export type PreflightCheck = Preflight['checks'][number]

export const InputsAnswer = z
  .object({
    valid: z.boolean(),
    errors: z.array(
      z.object({
        pointer: z.string(),
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        type: z.string(),
      }),
    ),
    normalized: z.record(z.string(), z.unknown()).meta({ description: 'With the defaults; secrets are left out' }),
  })
  .meta({
    id: 'InputsAnswer',
    description: 'Whether inputs fit a template. What does not fit is a result, not an error.',
    example: { valid: true, errors: [], normalized: { url: 'http://127.0.0.1:8080', action: 'restart' } },
  })
export type InputsAnswer = z.infer<typeof InputsAnswer>

export const Graph = z
  .object({
    mermaid: z.string(),
    nodes: z.array(z.object({ id: z.string(), label: z.string(), operator: z.string(), gate: z.boolean() })),
    edges: z.array(z.object({ from: z.string(), to: z.string(), when: z.string().optional() })),
  })
  .meta({
    id: 'TemplateGraph',
    description: 'The steps of a template in their order. `gate`: it may need approval.',
    example: {
      mermaid: 'flowchart TD\n  s0["act<br/>http.request"]\n',
      nodes: [{ id: 'act', label: 'act', operator: 'http.request', gate: false }],
      edges: [],
    },
  })

export const Contract = z
  .object({
    pack: z.string(),
    template: z.string(),
    version: z.string(),
    digest: z.string().meta({ description: 'Of the pack' }),
    template_digest: z.string().meta({ description: 'Of the template; a start may ask for it' }),
    title: z.string(),
    description: z.string().optional(),
    risk: z.enum(RISKS),
    environment: z.string().meta({ description: 'Of which gates and integrations are told' }),
    inputs: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema' }),
    ui: z.object({
      order: z.array(z.string()).meta({ description: 'Names of inputs as the template lists them' }),
      secret: z.array(z.string()).meta({ description: 'JSON Pointers of inputs that are never shown again' }),
    }),
    outputs: z.record(z.string(), z.unknown()),
    plan: z.array(
      z.object({
        step: z.string(),
        operator: z.string(),
        action_type: z.string(),
        capabilities: z.array(z.string()),
        gate: Gate,
      }),
    ),
    integrations: z.array(
      z.object({
        connection: z.string(),
        kind: z.string(),
        required: z.boolean(),
        bound: z.boolean(),
        status: z.enum(['bound', 'unbound', 'other_kind']),
      }),
    ),
    presets: z
      .array(z.object({ id: z.string(), name: z.string(), version: z.int(), is_default: z.boolean() }))
      .meta({ description: 'Config presets that a start may name' }),
    metrics: z.array(z.string()),
    sandbox: z.boolean().meta({ description: 'The workspace may use a sandbox environment' }),
    estimate_usd: z.number().nullable(),
  })
  .meta({ id: 'TemplateContract', description: 'What a template takes, does, needs and may ask.' })
export type Contract = z.infer<typeof Contract>
