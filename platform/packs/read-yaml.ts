import { Composer, type Document, isMap, isNode, isScalar, LineCounter, Parser } from 'yaml'
import type { FileFault } from '#core/file-fault.ts'
import type { Fault } from '#core/plan/fault.ts'
import { deeperThan } from '../yaml-depth.ts'

const MAX_BYTES = 256 * 1024
const MAX_ALIASES = 50
const MAX_DEPTH = 32

type Path = (string | number)[]

/** A YAML file that could be read: its value, and where each part of it stands. */
export interface YamlFile {
  value: unknown
  /** a fault inside the value as a fault of the file */
  place(fault: Fault): FileFault
}

/** Reads one YAML 1.2 document: at most 256 kB, unique string keys, no merge keys, no alias bombs, at most 32 levels. */
export function readYaml(file: string, bytes: Uint8Array): YamlFile | FileFault[] {
  if (bytes.length > MAX_BYTES)
    return [{ file, message: `larger than ${MAX_BYTES / 1024} kB; split it into several files` }]
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
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const tooDeep = tokens.find((token) => deeperThan(token, MAX_DEPTH))
  if (tooDeep !== undefined) return [{ file, ...at(tooDeep.offset), message: `nested deeper than ${MAX_DEPTH} levels` }]
  const options = { schema: 'core', merge: false, uniqueKeys: true, stringKeys: true, strict: true } as const
  const documents = [...new Composer({ ...options, prettyErrors: false }).compose(tokens)]
  const [document, second] = documents
  if (document === undefined) return [{ file, line: 1, column: 1, message: 'the file is empty' }]
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])
  if (problems.length > 0) return uptoSyntax(problems).map(({ message, pos }) => ({ file, ...at(pos[0]), message }))
  if (second !== undefined)
    return [{ file, ...at(second.range[0]), message: 'more than one document (---); use one file each' }]
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    return {
      value,
      place: ({ warning, ...fault }) => ({
        file,
        ...at(offsetOf(document, text, fault)),
        message: fault.message,
        ...(warning && { warning }),
      }),
    }
  } catch (error) {
    return [{ file, line: 1, column: 1, message: error instanceof Error ? error.message : String(error) }]
  }
}

type Problem = Document.Parsed['errors'][number]

/** What comes after the first token that does not belong there is said of a text that nobody wrote. */
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
function offsetOf(document: Document.Parsed, text: string, { path, offset, key }: Fault): number {
  for (let length = path.length; length >= 0; length--) {
    const whole = length === path.length
    if (key === true && whole) {
      const found = keyOffset(document, path)
      if (found !== undefined) return found
    }
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (!isNode(node) || !node.range) continue
    const inside = whole && offset !== undefined && isScalar(node) && typeof node.value === 'string'
    return inside ? offsetInText(text, node.range, String(node.value), offset) : node.range[0]
  }
  return 0
}

function keyOffset(document: Document.Parsed, path: Path): number | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isMap(parent)) return undefined
  const pair = parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === path.at(-1))
  return isNode(pair?.key) ? pair.key.range?.[0] : undefined
}

/** Finds the line of the value in the source, whatever its quotes and indentation; escapes move the result to the start. */
function offsetInText(text: string, [start, end]: [number, number, number], value: string, offset: number): number {
  const lineStart = value.lastIndexOf('\n', offset - 1) + 1
  const lineEnd = value.indexOf('\n', lineStart)
  const line = value.slice(lineStart, lineEnd === -1 ? undefined : lineEnd)
  const found = text.indexOf(line, start)
  return line === '' || found === -1 || found > end ? start : found + offset - lineStart
}
