import { DomainError } from '../errors.ts'
import { faultToFieldError, schemaFaults } from '../plan/fault.ts'

interface Schema<Output> {
  safeParse(
    value: unknown,
  ): { success: true; data: Output } | { success: false; error: { issues: Parameters<typeof schemaFaults>[0] } }
}

const MAX_FIELD_ERRORS = 50

/** A payload as its schema says; `validation_failed` names what is wrong, `path` leading to where the value stands. */
export function parseAlert<Output>(schema: Schema<Output>, value: unknown, path: (string | number)[] = []): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = schemaFaults(result.error.issues.slice(0, MAX_FIELD_ERRORS))
  const errors = faults.map((fault) => faultToFieldError({ ...fault, path: [...path, ...fault.path] }))
  throw new DomainError('validation_failed', 'The alerts are not complete.', { errors })
}
