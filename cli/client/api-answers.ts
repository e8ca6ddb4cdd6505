import { randomUUID } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { printable } from '../views/format.ts'
import type { ApiProblem } from './api-problem.ts'

/** Errors were thrown before, so the body has the described type. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<Body> {
  const { data } = await answer
  return data as Body
}

/** Of what answers nothing. */
export async function done(answer: Promise<unknown>): Promise<void> {
  await answer
}

/** Sends a creation or a decision with a key, so that it may be repeated when the connection breaks. */
export async function once<Body>(send: (header: { 'idempotency-key': string }) => Promise<Body>): Promise<Body> {
  const header = { 'idempotency-key': randomUUID() }
  try {
    return await send(header)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return await send(header)
  }
}

/** Formats an error of the API for the terminal, with advice where there is any; with `json`, the document as sent. */
export function describeProblem({ message, code, document, advice }: ApiProblem, json = false): string[] {
  if (json) return [visibleJson(document)]
  const [first = '', ...rest] = message.split('\n')
  const lines = [`${printable(first)}${code === 'unknown' ? '' : ` (${printable(code)})`}`, ...rest.map(printableField)]
  return advice === undefined ? lines : [...lines, printable(advice)]
}

function printableField(line: string): string {
  return `  ${printable(line.trim())}`
}

/** Tells whether a command line asks for JSON, also where the rest of it cannot be parsed. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const words = end < 0 ? args : args.slice(0, end)
  return words.some((word, index) => {
    const value = /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ?? words[index + 1]
    return word === '--json' || (/^(?:-o|--output)/.test(word) && value === 'json')
  })
}
