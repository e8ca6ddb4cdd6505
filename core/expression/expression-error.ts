import { DomainError } from '../errors.ts'

/** A wrong expression: `validation_failed` with the expression and the offset of the fault inside it. */
export function expressionError(expression: string, message: string, offset = 0, cause?: unknown): DomainError {
  const shown = expression.length <= 200 ? expression : `${expression.slice(0, 199)}…`
  return new DomainError(
    'validation_failed',
    // of a value inside of the expression, no record could hold what it says
    `expression \`${shown.trim()}\`: ${message}`.toWellFormed().replaceAll('\0', '\uFFFD'),
    { expression, offset },
    { cause },
  )
}

/** Offset of the fault inside an expression or template string, when the error knows it. */
export function errorOffset(error: unknown): number | undefined {
  const offset = error instanceof DomainError ? error.details.offset : undefined
  return typeof offset === 'number' ? offset : undefined
}
