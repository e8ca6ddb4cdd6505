import type { Severity } from './alert.ts'

/** What alerting tools call their severities and priorities. */
const SEVERITY_OF: ReadonlyMap<string, Severity> = new Map([
  ...named('critical', ['critical', 'page', 'fatal', 'p1', 'emergency']),
  ...named('high', ['high', 'error', 'major', 'p2']),
  ...named('medium', ['warning', 'warn', 'medium', 'minor', 'p3']),
  ...named('low', ['low', 'notice', 'p4']),
  ...named('info', ['info', 'none', 'debug', 'ok', 'p5']),
])

/** The severity that a tool's own word stands for; `medium` when it is missing or unknown. */
export function severityOf(word: string | undefined): Severity {
  return SEVERITY_OF.get(word?.trim().toLowerCase() ?? '') ?? 'medium'
}

function named(severity: Severity, words: string[]): [string, Severity][] {
  return words.map((word) => [word, severity])
}
