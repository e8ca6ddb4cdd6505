import { DomainError } from '../errors.ts'
import { BudgetSpentError } from './evaluation-budget.ts'

/** The library repeats values in its messages, however long they are. */
const MAX_MESSAGE = 500

/** A wrong expression: `validation_failed` with the expression and the offset of the fault inside it. */
export function expressionError(expression: string, message: string, offset = 0, cause?: unknown): DomainError {
  const shown = expression.length <= 200 ? expression : `${expression.slice(0, 199)}…`
  return new DomainError(
    'validation_failed',
    // no record could hold a lone surrogate or a NUL of a value inside of the expression
    `expression \`${shown.trim()}\`: ${cut(message)}`.toWellFormed().replaceAll('\0', '\uFFFD'),
    { expression, offset },
    { cause },
  )
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 1)}…`
}

/** Tells whether an expression was stopped for its cost: its value is unknown. */
export function isBudgetSpent(error: unknown): boolean {
  return error instanceof DomainError && error.cause instanceof BudgetSpentError
}

/** Offset of the fault inside an expression or template string, when the error knows it. */
export function errorOffset(error: unknown): number | undefined {
  const offset = error instanceof DomainError ? error.details.offset : undefined
  return typeof offset === 'number' ? offset : undefined
}
