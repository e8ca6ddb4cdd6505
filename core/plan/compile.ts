import { DomainError } from '../errors.ts'
import { jsonPointer } from '../json/json.ts'
import type { OperatorCatalog } from '../operator-catalog.ts'
import { checkPlan, type Hash, type PackFacts } from './check-plan.ts'
import { faultToFieldError } from './fault.ts'
import type { TemplateSpec } from './template-schema.ts'
import type { Plan } from './types.ts'

/** Compiles a template into the plan that its runs carry. Throws `validation_failed` that lists every fault. */
export function compilePlan(
  template: TemplateSpec,
  pack: PackFacts,
  catalog: Pick<OperatorCatalog, 'get' | 'list'>,
  hash: Hash,
): Plan {
  const { plan, faults } = checkPlan(template, pack, catalog, hash)
  if (plan !== undefined) return plan
  const text = faults.map((fault) => `${jsonPointer(fault.path)}: ${fault.message}`).join('; ')
  throw new DomainError('validation_failed', `template ${template.id}: ${text}`, {
    errors: faults.map(faultToFieldError),
  })
}
