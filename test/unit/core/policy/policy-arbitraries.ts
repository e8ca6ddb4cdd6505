import fc from 'fast-check'
import { ENVIRONMENT_CLASSES } from '#core/environment/environment.ts'
import type { BrokenPolicy, LayerPolicies, Policy } from '#core/policy/layer.ts'
import type { PolicyRule, PolicyScope } from '#core/policy/schema.ts'
import { EFFECTS, NOTE_RULES, type PolicyLayer, type PolicySubject, RISKS } from '#core/policy/types.ts'

const ENVIRONMENTS = ['production', 'staging', 'development', 'eu-prod', 'Production'] as const
const ACTIONS = ['service.restart', 'sql.write', 'read'] as const
const CAPABILITIES = ['llm', 'k8s.write:web', 'sql.write'] as const
const some = <T>(values: readonly T[]) => fc.subarray([...values], { maxLength: 2 })

const anyScope: fc.Arbitrary<PolicyScope> = fc.record({
  environments: some(ENVIRONMENTS),
  risks: some(RISKS),
  action_types: some(ACTIONS),
  capabilities: some(CAPABILITIES),
})

const anyRule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    effect: fc.constantFrom(...EFFECTS),
    reason: fc.constantFrom('', 'because'),
    channels: some(['ops', 'chat']),
    approval_role: fc.constantFrom('sre', 'security'),
    require_note: fc.constantFrom(...NOTE_RULES),
    prevent_self: fc.constant(true as const),
    min_approvals: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['effect', 'reason', 'channels'] },
)

/** Classes that nobody knows are among them. */
export const anySubject: fc.Arbitrary<PolicySubject> = fc.record({
  environment: fc.constantFrom(...ENVIRONMENTS),
  environment_class: fc.constantFrom(...ENVIRONMENT_CLASSES, 'prodution'),
  risk: fc.constantFrom(...RISKS),
  action_types: some(ACTIONS),
  capabilities: some(CAPABILITIES),
})

export function anyPolicy(layer: PolicyLayer, name: fc.Arbitrary<string>): fc.Arbitrary<Policy> {
  const rules = fc.array(anyRule, { minLength: 1, maxLength: 3 })
  return fc.record({ name, layer: fc.constant(layer), source: fc.constant('generated'), scope: anyScope, rules })
}

export function anyBroken(layer: PolicyLayer, name: fc.Arbitrary<string>): fc.Arbitrary<BrokenPolicy> {
  const problems = fc.constant<BrokenPolicy['problems']>([{ message: 'broken', path: [] }])
  const base = { layer: fc.constant(layer), source: fc.constant('generated'), scope: anyScope, problems }
  return fc.oneof(
    name.chain((known) => fc.record({ ...base, name: fc.constant(known), label: fc.constant(known) })),
    fc.record({ ...base, label: fc.constant('unreadable.yaml') }),
  )
}

/** Few names, so that overrides and twins are common. */
const anyName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')

function anyLayer(layer: PolicyLayer, size = 8): fc.Arbitrary<LayerPolicies> {
  return fc.record({
    policies: fc.array(anyPolicy(layer, anyName), { maxLength: size }),
    broken: fc.array(anyBroken(layer, anyName), { maxLength: 2 }),
  })
}

export const anyLayers = fc.record({
  pack: anyLayer('pack'),
  overlay: anyLayer('overlay'),
  console: anyLayer('console'),
})
export const anyAttachList = fc.subarray(['a', 'b', 'c', 'dangling'])
