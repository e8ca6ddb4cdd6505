import { visibleJson } from '#core/visible-text.ts'
import type { ApiProblem } from './api-problem.ts'
import { printable } from './printable.ts'

/** A refusal of the API as lines for the terminal, with what to do about it where that is known; with `json`, as it was sent. */
export function describeProblem({ message, code, document, advice }: ApiProblem, json = false): string[] {
  if (json) return [visibleJson(document)]
  const [first = '', ...rest] = message.split('\n')
  const lines = [`${printable(first)}${code === 'unknown' ? '' : ` (${printable(code)})`}`, ...rest.map(printableField)]
  return advice === undefined ? lines : [...lines, printable(advice)]
}

function printableField(line: string): string {
  return `  ${printable(line.trim())}`
}
