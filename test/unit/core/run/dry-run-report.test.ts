import { describe, expect, test } from 'vitest'
import { stepsInCondition, stepsInValue } from '#core/plan/unknown-outputs.ts'
import { dryRunReport, withoutEffect, withoutOutputs, wouldEndAt } from '#core/run/dry-run-report.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'

const step = (id: string, would: PredictedStep['would'], rest: Partial<PredictedStep> = {}): PredictedStep => ({
  ...{ id, name: id, operator: 'test.act', would, executed: false, summary: '' },
  ...rest,
})

const STEPS = [
  step('looked', 'read', { executed: true, estimate_usd: 5 }),
  step('left', 'be_skipped'),
  step('acts', 'act', { estimate_usd: 0.1 }),
  step('waits', 'wait'),
  step('reads', 'read', { estimate_usd: 0.2 }),
  step('tried', 'fail', { executed: true }),
  step('later', 'unknown'),
]

describe('what a dry run knows', () => {
  test('outputs are known of reads that were done, and of steps that the run itself would skip', () => {
    expect(withoutOutputs(STEPS)).toEqual(['acts', 'waits', 'reads', 'tried', 'later'])
  })

  test('the world stays as it is until the first step that is left out and does more than read', () => {
    expect(withoutEffect(STEPS)).toEqual(['acts', 'waits', 'tried', 'later'])
  })

  test('a run would end at the first step that fails or is refused', () => {
    expect(wouldEndAt(STEPS)?.id).toBe('tried')
    expect(wouldEndAt(STEPS.slice(0, 5))).toBeUndefined()
  })

  test.each([
    [1, 0.7, true],
    [1, 0.700001, false],
    [0.3, 0, true],
    [0.299999, 0, false],
  ])('under a cap of %d with %d spent the estimates fit: %s', (cap, spent, fits) => {
    expect(dryRunReport(STEPS, cap, spent)).toMatchObject({ estimate_usd: 0.3, cap_usd: cap, fits })
  })
})

describe('which steps an expression needs', () => {
  const among = ['a', 'b']
  test.each([
    ['steps.a.outputs.x == 1 && inputs.y', ['a']],
    ['steps["b"].status == "succeeded"', ['b']],
    ['steps.c.outputs.x == 1', []],
    ['size(steps) > 1', ['a', 'b']],
    ['inputs.steps.a == 1', []],
    ['["x"].exists(n, steps[n].outputs.ok)', ['a', 'b']],
  ])('%s', (condition, needed) => {
    expect(stepsInCondition(condition, among)).toEqual(needed)
  })

  test('also deep in a value, and nowhere in plain text', () => {
    const value = { url: 'http://x/steps.a', list: [{ text: `<\${{ steps.b.outputs.x }}>` }, 1, null] }
    expect(stepsInValue(value, among)).toEqual(['b'])
  })
})
