import { readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import { DomainError } from '#core/errors.ts'
import { inputOf } from '#core/plan/input-pair.ts'

/** The inputs of a run: a YAML or JSON file (`-` for standard input), and over it the `key=value` pairs. */
export async function parseInputs(
  source: { file?: string; pairs: readonly string[] },
  readInput: () => Promise<string>,
): Promise<Record<string, unknown>> {
  const fromFile = source.file === undefined ? {} : await readObject(source.file, readInput)
  return { ...fromFile, ...Object.fromEntries(source.pairs.map(parsePair)) }
}

/** The object that a YAML or JSON file holds; `-` for standard input. */
export async function readObject(
  file: string,
  readInput: () => Promise<string>,
  what = 'inputs',
): Promise<Record<string, unknown>> {
  return await parseFile(file, await readSource(file, readInput, what), what)
}

/** Takes one more `key=value` of a repeatable option. Anything else is refused at once, before it passes for a missing argument. */
export function collectPair(pair: string, earlier: string[]): string[] {
  if (pair.indexOf('=') < 1) throw new InvalidArgumentError('It takes key=value, such as url=http://127.0.0.1:8080.')
  return [...earlier, pair]
}

/** A value that is JSON counts as that, anything else as text; so does a number that would be rounded. */
export function parsePair(pair: string): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new DomainError('validation_failed', `-i takes key=value, not ${JSON.stringify(pair)}`)
  const key = pair.slice(0, at)
  try {
    return [key, inputOf(pair.slice(at + 1))]
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError('validation_failed', `-i ${key}: ${error.message}`, error.details)
  }
}

/** The text of a file, `-` for standard input. */
export async function readSource(file: string, readInput: () => Promise<string>, what = 'inputs'): Promise<string> {
  if (file === '-') return await readInput()
  return await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DomainError('validation_failed', `the ${what} cannot be read: ${reason}`)
  })
}

async function parseFile(name: string, text: string, what: string): Promise<Record<string, unknown>> {
  const { LineCounter, parseDocument } = await import('yaml')
  const { inexactNumbers, INEXACT_IN_YAML } = await import('#platform/yaml-nodes.ts')
  const lines = new LineCounter()
  const document = parseDocument(text, { prettyErrors: true, lineCounter: lines })
  const [error] = document.errors
  if (error !== undefined) throw new DomainError('validation_failed', `${name} is not YAML: ${error.message}`)
  const [inexact] = inexactNumbers(document)
  if (inexact !== undefined) {
    const { line, col } = lines.linePos(inexact.range?.[0] ?? 0)
    throw new DomainError('validation_failed', `${name}:${line}:${col}: ${INEXACT_IN_YAML}`)
  }
  const value: unknown = document.toJS()
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new DomainError('validation_failed', `${name} must hold an object of ${what}`)
  return { ...value }
}
