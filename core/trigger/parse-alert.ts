import { DomainError } from '../errors.ts'
import { faultToFieldError, schemaFaults } from '../plan/fault.ts'
import type { Severity } from './alert.ts'

/** Severities and priorities of alerting tools. */
const SEVERITY_OF: ReadonlyMap<string, Severity> = new Map([
  ...named('critical', ['critical', 'page', 'fatal', 'p1', 'emergency']),
  ...named('high', ['high', 'error', 'major', 'p2']),
  ...named('medium', ['warning', 'warn', 'medium', 'minor', 'p3']),
  ...named('low', ['low', 'notice', 'p4']),
  ...named('info', ['info', 'none', 'debug', 'ok', 'p5']),
])

/** Returns the severity of a tool's word; `medium` when it is missing or unknown. */
export function severityOf(word: string | undefined): Severity {
  return SEVERITY_OF.get(word?.trim().toLowerCase() ?? '') ?? 'medium'
}

function named(severity: Severity, words: string[]): [string, Severity][] {
  return words.map((word) => [word, severity])
}

interface Schema<Output> {
  safeParse(
    value: unknown,
  ): { success: true; data: Output } | { success: false; error: { issues: Parameters<typeof schemaFaults>[0] } }
}

const MAX_FIELD_ERRORS = 50

/** Parses a payload by its schema; `validation_failed` names the fault, with `path` before its place. */
export function parseAlert<Output>(schema: Schema<Output>, value: unknown, path: (string | number)[] = []): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = schemaFaults(result.error.issues.slice(0, MAX_FIELD_ERRORS))
  const errors = faults.map((fault) => faultToFieldError({ ...fault, path: [...path, ...fault.path] }))
  throw new DomainError('validation_failed', 'The alerts are not complete.', { errors })
}
