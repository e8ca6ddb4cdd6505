import { Composer, type Document, isScalar, LineCounter } from 'yaml'
import type { FileFault } from '#core/file-fault.ts'
import type { Fault } from '#core/plan/fault.ts'
import { INEXACT_IN_YAML, inexactNumbers, MAX_FAULTS, repeatedKeys, type YamlNodes, yamlNodes } from '../yaml-nodes.ts'
import { yamlTokens } from '../yaml-tokens.ts'

const MAX_BYTES = 256 * 1024
const MAX_ALIASES = 50

/** A readable YAML file: its value, and the place of each part. */
export interface YamlFile {
  value: unknown
  /** a fault inside the value as a fault of the file */
  place(fault: Fault): FileFault
}

/** Reads one YAML 1.2 document: at most 256 kB, unique string keys, no merge keys, no alias bombs, at most 32 levels; tells at most 100 faults. */
export function readYaml(file: string, bytes: Uint8Array): YamlFile | FileFault[] {
  if (bytes.length > MAX_BYTES)
    return [{ file, message: `larger than ${MAX_BYTES / 1024} kB; shorten it or split it up` }]
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return [{ file, message: 'not UTF-8 text; save it as UTF-8' }]
  }
  const lines = new LineCounter()
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const tokens = yamlTokens(text, lines)
  if ('message' in tokens) return [{ file, ...at(tokens.offset), message: tokens.message }]
  const options = { schema: 'core', merge: false, uniqueKeys: false, stringKeys: true, strict: true } as const
  const documents = [...new Composer({ ...options, prettyErrors: false }).compose(tokens)]
  const [document, second] = documents
  if (document === undefined) return [{ file, line: 1, column: 1, message: 'the document is empty' }]
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])
  if (problems.length > 0)
    return uptoSyntax(problems.slice(0, MAX_FAULTS)).map(({ message, pos }) => ({ file, ...at(pos[0]), message }))
  if (second !== undefined)
    return [{ file, ...at(second.range[0]), message: 'more than one document (---); keep one here' }]
  const repeated = repeatedKeys(document)
  if (repeated.length > 0)
    return repeated
      .slice(0, MAX_FAULTS)
      .map(({ range }) => ({ file, ...at(range?.[0] ?? 0), message: 'Map keys must be unique' }))
  const inexact = inexactNumbers(document)
  if (inexact.length > 0)
    return inexact.slice(0, MAX_FAULTS).map(({ range }) => ({ file, ...at(range?.[0] ?? 0), message: INEXACT_IN_YAML }))
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const nodes = yamlNodes(document)
    return {
      value,
      place: ({ warning, ...fault }) => ({
        file,
        ...at(offsetOf(nodes, text, fault)),
        message: fault.message,
        ...(warning && { warning }),
      }),
    }
  } catch (error) {
    return [{ file, line: 1, column: 1, message: error instanceof Error ? error.message : String(error) }]
  }
}

type Problem = Document.Parsed['errors'][number]

/** Errors after the first unexpected token describe a text that the author did not write. */
function uptoSyntax(problems: Problem[]): Pick<Problem, 'message' | 'pos'>[] {
  const first = problems.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN')
  return first === -1 ? problems : problems.slice(0, first + 1).map(withQuotes)
}

/** `[`, `{` and `,` after a plain value are what people stumble over in expressions. */
function withQuotes({ message, pos }: Problem): Pick<Problem, 'message' | 'pos'> {
  const hint = message.endsWith('at node end') ? ': a value with brackets, braces or a comma in it goes in quotes' : ''
  return { message: `${message}${hint}`, pos }
}

/** Offset of a fault in the file: of the key, of the place inside the text, or of the nearest part that exists. */
function offsetOf(nodes: YamlNodes, text: string, { path, offset, key }: Fault): number {
  const found = key === true ? nodes.key(path)?.range?.[0] : undefined
  if (found !== undefined) return found
  for (let length = path.length; length >= 0; length--) {
    const node = nodes.at(path.slice(0, length))
    if (!node?.range) continue
    const inside = length === path.length && offset !== undefined && isScalar(node) && typeof node.value === 'string'
    return inside ? offsetInText(text, node.range, String(node.value), offset) : node.range[0]
  }
  return 0
}

/** Finds the line of the value in the source, no matter what its quotes and indentation; escapes move the result to the start. */
function offsetInText(text: string, [start, end]: [number, number, number], value: string, offset: number): number {
  const lineStart = value.lastIndexOf('\n', offset - 1) + 1
  const lineEnd = value.indexOf('\n', lineStart)
  const line = value.slice(lineStart, lineEnd === -1 ? undefined : lineEnd)
  const found = text.slice(start, end).indexOf(line)
  return line === '' || found === -1 ? start : start + found + offset - lineStart
}
