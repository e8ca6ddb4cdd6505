import { describe, expect, test } from 'vitest'
import { changedSteps } from '#core/policy/changed-steps.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import { DEVELOPMENT, TEST_PLAN } from '#test/support/one-pack.ts'

// so that a policy alone says what becomes of a step
const PLAN = { ...TEST_PLAN, steps: TEST_PLAN.steps.map((step) => ({ ...step, requires_approval: false })) }
const operators = {
  get: () => ({ requires_approval: false, simulate: async () => ({}) }) as never,
}
const place = { environment: DEVELOPMENT, profile: { name: 'default', requires_approval: [] }, operators }

function judged(before: string, after: string) {
  const [was, is] = [before, after].map((rules) => {
    const overlay =
      rules === ''
        ? EMPTY_LAYER
        : parsePolicyYaml(`name: guard\nrules: [${rules}]\n`, { layer: 'overlay', source: 'guard.yaml' })
    const layers = { pack: EMPTY_LAYER, overlay, console: EMPTY_LAYER }
    return compilePolicies({ layers, environment: DEVELOPMENT }, { hash: (text) => text })
  })
  if (was === undefined || is === undefined) throw new Error('two sets')
  return changedSteps(PLAN, { before: was, after: is }, place)
}

const DBA = '{ effect: require_hitl, approval_role: dba }'
const DBA_AND_SECURITY = `${DBA}, { effect: require_hitl, approval_role: security }`

describe('steps that other policies judge differently', () => {
  test.each([
    ['a refusal that asks a person now', '{ effect: deny }', DBA],
    ['a person who is not asked any more', DBA, ''],
    ['a role that is dropped', DBA_AND_SECURITY, DBA],
    ['another role', DBA, '{ effect: require_hitl, approval_role: anybody }'],
    ['a dry run that is dropped behind a gate', `${DBA}, { effect: require_dry_run }`, DBA],
    ['a dry run that is dropped', '{ effect: require_dry_run }', ''],
    ['a note that is dropped', '{ effect: require_hitl, require_note: always }', '{ effect: require_hitl }'],
    [
      'separation of duties that is dropped',
      '{ effect: require_hitl, prevent_self: true }',
      '{ effect: require_hitl }',
    ],
    [
      'people who are not needed any more',
      '{ effect: require_hitl, min_approvals: 3 }',
      '{ effect: require_hitl, min_approvals: 2 }',
    ],
    [
      'a note on rejections only',
      '{ effect: require_hitl, require_note: always }',
      '{ effect: require_hitl, require_note: reject }',
    ],
  ])('are looser by %s', (_, before, after) => {
    const there = judged(before, after)
    expect(there.map(({ step, looser }) => [step, looser])).toEqual(PLAN.steps.map(({ id }) => [id, true]))
    const back = judged(after, before)
    if (_ !== 'another role') expect(back.every(({ looser }) => !looser)).toBe(true)
    expect(back).toHaveLength(PLAN.steps.length)
  })

  test('are none where nothing is different, no matter what it is called', () => {
    for (const rules of ['', DBA, '{ effect: deny }', `${DBA}, { effect: require_dry_run }`])
      expect(judged(rules, rules)).toEqual([])
    expect(judged(DBA, '{ effect: require_hitl, approval_role: dba, reason: of another }')).toEqual([])
  })

  test('say why, and hold nothing but the refusal of what is refused', () => {
    const [first] = judged(`${DBA}, { effect: require_dry_run }`, '{ effect: deny, reason: closed }')
    expect(first).toMatchObject({
      before: { outcome: 'gate', approval_roles: [['dba']], dry_run: true },
      after: { outcome: 'deny', approval_roles: [], dry_run: false },
      because: ['the overlay policy guard: closed'],
      looser: false,
    })
  })
})
