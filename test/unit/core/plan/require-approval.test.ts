import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requireApproval } from '#core/plan/estimate-plan.ts'
import type { Plan, PlanStep } from '#core/plan/types.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

type Facts = Pick<PlanStep, 'action_type' | 'requires_approval'> & { operator_type?: string }

const facts: fc.Arbitrary<Facts> = fc.record(
  {
    action_type: fc.constantFrom('read', 'http.write', 'service.restart'),
    requires_approval: fc.boolean(),
    operator_type: fc.constantFrom('read', 'http.write'),
  },
  { requiredKeys: ['action_type', 'requires_approval'] },
)

function planOf(steps: Facts[]): Plan {
  const whole = steps.map((step, index) => ({ ...step, id: `s${index}`, operator: 'http.request', with: {} }))
  return { pack: 'test', template: 'any', steps: whole, outputs: {}, digest: 'sha256:before' } as unknown as Plan
}

test('a gate of a step only ever makes a plan stricter, and leaves the rest of it as it was', () => {
  fc.assert(
    fc.property(fc.array(facts, { minLength: 1, maxLength: 6 }), (steps) => {
      const before = planOf(steps)
      const after = requireApproval(before, hash)
      const isStricter = after.steps.every(
        (step, index) => step.requires_approval || !before.steps[index]?.requires_approval,
      )
      expect(isStricter).toBe(true)
      expect(after.steps.some(({ requires_approval }) => requires_approval)).toBe(true)
      for (const [index, { action_type, operator_type }] of steps.entries())
        if (action_type !== 'read' || (operator_type ?? 'read') !== 'read')
          expect(after.steps[index]?.requires_approval).toBe(true)
      const plain = (plan: Plan) => ({
        ...plan,
        digest: '',
        steps: plan.steps.map((step) => ({ ...step, requires_approval: false })),
      })
      expect(plain(after)).toEqual(plain(before))
      expect(after.digest).not.toBe(before.digest)
    }),
  )
})
