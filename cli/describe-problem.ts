import type { ApiProblem } from './api-problem.ts'
import { printable } from './printable.ts'

/** A refusal of the API as lines for the terminal, with what to do about it where that is known. */
export function describeProblem({ message, status, code }: ApiProblem): string[] {
  const [first = '', ...rest] = message.split('\n')
  const lines = [`${printable(first)}${code === 'unknown' ? '' : ` (${printable(code)})`}`, ...rest.map(printableField)]
  return status === 401 ? [...lines, 'Log in with: svc login'] : lines
}

function printableField(line: string): string {
  return `  ${printable(line.trim())}`
}
