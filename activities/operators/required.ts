import { OperatorError } from '#core/operator.ts'

/** A dependency that not every process has. Throws OperatorError `not_configured` with the sentence where it is absent. */
export function required<Dependency>(dependency: Dependency | undefined, sentence: string): Dependency {
  if (dependency !== undefined) return dependency
  throw new OperatorError('not_configured', sentence)
}
