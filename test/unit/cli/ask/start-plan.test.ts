import { describe, expect, test } from 'vitest'
import { planText, readPlan, type StartPlan, sealPlan } from '#cli/ask/start-plan.ts'

const PLAN: Omit<StartPlan, 'digest'> = {
  type: 'start_plan',
  v: 1,
  pack: 'sre',
  template: 'service-recovery',
  version: '1.0.0',
  title: 'Recover a service',
  risk: 'medium',
  workspace: null,
  environment: 'development',
  profile: 'default',
  config_preset: null,
  inputs: { url: 'http://127.0.0.1:1', '10': 'ten', '9': 'nine \u202e' },
  secrets: [],
  missing: [],
  faults: [],
  steps: [],
  checks: [],
  policy: { effect: 'allow_auto', matched: [] },
  gates_expected: [],
  estimate_usd: null,
  template_digest: `sha256:${'a'.repeat(64)}`,
  plan_hash: `sha256:${'b'.repeat(64)}`,
  runnable: true,
  command: 'svc run …',
}

describe('a plan as text', () => {
  test('is the same no matter in what order it was made, with every key in order and nothing unseen', () => {
    const text = planText(sealPlan(PLAN))
    const turned = Object.fromEntries(Object.entries(PLAN).reverse()) as typeof PLAN
    expect(planText(sealPlan(turned))).toBe(text)
    expect(text).toContain('"inputs":{"10":"ten","9":"nine \\u202e","url":"http://127.0.0.1:1"}')
    expect(text.indexOf('"checks"')).toBeLessThan(text.indexOf('"command"'))
  })

  test('is read back, however it was laid out since', () => {
    const sealed = sealPlan(PLAN)
    for (const text of [planText(sealed), JSON.stringify(sealed, null, 2), ` ${JSON.stringify(sealed)}\n`])
      expect(readPlan(text)).toEqual(sealed)
  })

  test.each(Object.keys(PLAN))('is refused once %s was edited', (name) => {
    const { [name]: _gone, ...rest } = { ...sealPlan(PLAN) } as Record<string, unknown>
    expect(() => readPlan(JSON.stringify(rest))).toThrow('no plan of')
    const others: unknown[] = ['other', 7, false, { v: 1 }, [{}], [], null, { effect: 'deny', matched: [] }]
    const digests = others.flatMap((other) => {
      if (JSON.stringify(other) === JSON.stringify(PLAN[name as keyof typeof PLAN])) return []
      try {
        readPlan(JSON.stringify({ ...sealPlan(PLAN), [name]: other }))
        return ['read']
      } catch (error) {
        return error instanceof Error && 'code' in error ? [error.code] : [error]
      }
    })
    expect(
      digests.every((each) => each === 'plan_changed' || each === 'validation_failed'),
      String(digests),
    ).toBe(true)
  })

  test.each(['', '[]', '{}', 'null', '{"type":"start_plan"}', 'not runnable: missing url'])('is not %s', (text) => {
    expect(() => readPlan(text)).toThrow('this is no plan')
  })
})
