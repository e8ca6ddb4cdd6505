import { readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import { DomainError } from '#core/errors.ts'
import { inputOf } from '#core/plan/input-pair.ts'

/** The inputs of a run: a YAML or JSON file (`-` for standard input), and over it the `key=value` pairs. */
export async function parseInputs(
  source: { file?: string; pairs: readonly string[] },
  readInput: () => Promise<string>,
): Promise<Record<string, unknown>> {
  const fromFile =
    source.file === undefined ? {} : await parseFile(source.file, await readSource(source.file, readInput))
  return { ...fromFile, ...Object.fromEntries(source.pairs.map(parsePair)) }
}

/** Takes one more `key=value` of a repeatable option. Anything else is refused at once, before it passes for a missing argument. */
export function collectPair(pair: string, earlier: string[]): string[] {
  if (pair.indexOf('=') < 1) throw new InvalidArgumentError(`It takes key=value, such as -i url=http://127.0.0.1:8080.`)
  return [...earlier, pair]
}

/** A value that is JSON counts as that, anything else as text; so does an integer that a number cannot hold. */
export function parsePair(pair: string): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new DomainError('validation_failed', `-i takes key=value, not ${JSON.stringify(pair)}`)
  return [pair.slice(0, at), inputOf(pair.slice(at + 1))]
}

/** The text of a file, `-` for standard input. */
export async function readSource(file: string, readInput: () => Promise<string>, what = 'inputs'): Promise<string> {
  if (file === '-') return await readInput()
  return await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DomainError('validation_failed', `the ${what} cannot be read: ${reason}`)
  })
}

async function parseFile(name: string, text: string): Promise<Record<string, unknown>> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) throw new DomainError('validation_failed', `${name} is not YAML: ${error.message}`)
  const value: unknown = document.toJS()
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new DomainError('validation_failed', `${name} must hold an object of inputs`)
  return { ...value }
}
