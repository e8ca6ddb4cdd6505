import { Composer, type Document, isMap, isNode, isScalar, LineCounter, Parser } from 'yaml'
import { joinLayers, type LayerPolicies, type PolicyProblem } from '#core/policy/layer.ts'
import { type PolicyOrigin, parsePolicies, unreadable } from '#core/policy/parse.ts'
import { deeperThan } from '../yaml-depth.ts'

const MAX_BYTES = 256 * 1024
const MAX_ALIASES = 50
const MAX_DEPTH = 32

type Place = { line: number; column: number }

/** Reads YAML text (several documents and lists allowed). Whatever cannot be read comes back as broken; nothing throws. */
export function parsePolicyYaml(text: string, origin: Omit<PolicyOrigin, 'locate'>): LayerPolicies {
  try {
    const problem = unsafe(text)
    if (problem !== undefined) return { policies: [], broken: [unreadable(origin, [problem])] }
    const lines = new LineCounter()
    const tokens = [...new Parser(lines.addNewLine).parse(text)]
    const tooDeep = tokens.find((token) => deeperThan(token, MAX_DEPTH))
    if (tooDeep !== undefined) {
      const problem = { message: `nested deeper than ${MAX_DEPTH} levels`, path: [], ...place(lines, tooDeep.offset) }
      return { policies: [], broken: [unreadable(origin, [problem])] }
    }
    const options = { schema: 'core', merge: false, uniqueKeys: true, stringKeys: true, strict: true } as const
    const documents = [...new Composer(options).compose(tokens)]
    return joinLayers(
      documents.map((document, index) => {
        const source = documents.length > 1 ? `${origin.source}#${index + 1}` : origin.source
        return parseDocument(document, { ...origin, source }, lines)
      }),
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { policies: [], broken: [unreadable(origin, [{ message, path: [] }])] }
  }
}

function unsafe(text: string): PolicyProblem | undefined {
  if (new TextEncoder().encode(text).length <= MAX_BYTES) return undefined
  return { message: `larger than ${MAX_BYTES / 1024} kB; split it into several files`, path: [] }
}

/** A document with an error or a warning (an unknown tag) is not read any further: its values are guesses. */
function parseDocument(document: Document.Parsed, origin: PolicyOrigin, lines: LineCounter): LayerPolicies {
  const faults = [...document.errors, ...document.warnings].map(
    (fault): PolicyProblem => ({ message: fault.message, path: [], ...place(lines, fault.pos[0]) }),
  )
  if (document.directives.yaml.version !== '1.2') faults.push({ message: 'only YAML 1.2 is read', path: [] })
  if (faults.length > 0) return { policies: [], broken: [unreadable(origin, faults)] }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { policies: [], broken: [unreadable(origin, [{ message, path: [] }])] }
  }
  return parsePolicies(value, {
    ...origin,
    locate: (path, key) => (key ? keyPlace(document, path, lines) : undefined) ?? locate(document, path, lines),
  })
}

/** The place of the nearest node on the way to `path`. */
function locate(document: Document.Parsed, path: (string | number)[], lines: LineCounter): Place | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return place(lines, node.range[0])
  }
  return undefined
}

/** Of the key at the end of a path, not of its value. */
function keyPlace(document: Document.Parsed, path: (string | number)[], lines: LineCounter): Place | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined
  return isNode(pair?.key) && pair.key.range ? place(lines, pair.key.range[0]) : undefined
}

function place(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
