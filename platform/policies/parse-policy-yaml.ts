import { Composer, type Document, LineCounter, type Node } from 'yaml'
import { joinLayers, type LayerPolicies, type PolicyProblem } from '#core/policy/layer.ts'
import { type PolicyOrigin, parsePolicies, unreadable } from '#core/policy/parse.ts'
import { INEXACT_IN_YAML, inexactNumbers, MAX_FAULTS, repeatedKeys, yamlNodes } from '../yaml-nodes.ts'
import { yamlTokens } from '../yaml-tokens.ts'

const MAX_BYTES = 256 * 1024
const MAX_ALIASES = 50
const MAX_DOCUMENTS = 200

type Place = { line: number; column: number }

/** Parses YAML text (several documents and lists allowed). Unreadable parts are returned as broken; never throws. */
export function parsePolicyYaml(text: string, origin: Omit<PolicyOrigin, 'locate'>): LayerPolicies {
  try {
    const problem = unsafe(text)
    if (problem !== undefined) return { policies: [], broken: [unreadable(origin, [problem])] }
    const lines = new LineCounter()
    const tokens = yamlTokens(text, lines)
    if ('message' in tokens) {
      const problem = { message: tokens.message, path: [], ...place(lines, tokens.offset) }
      return { policies: [], broken: [unreadable(origin, [problem])] }
    }
    const options = { schema: 'core', merge: false, uniqueKeys: false, stringKeys: true, strict: true } as const
    const documents: Document.Parsed[] = []
    for (const document of new Composer(options).compose(tokens)) {
      if (documents.length === MAX_DOCUMENTS) {
        const problem = { message: `more than ${MAX_DOCUMENTS} documents; shorten it or split it up`, path: [] }
        return { policies: [], broken: [unreadable(origin, [{ ...problem, ...place(lines, document.range[0]) }])] }
      }
      documents.push(document)
    }
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
  return { message: `larger than ${MAX_BYTES / 1024} kB; shorten it or split it up`, path: [] }
}

/** A document with an error or a warning (an unknown tag) is not read any further: its values are guesses. */
function parseDocument(document: Document.Parsed, origin: PolicyOrigin, lines: LineCounter): LayerPolicies {
  const repeated = repeatedKeys(document).map((key) => ({ message: 'Map keys must be unique', pos: key.range ?? [0] }))
  const inexact = inexactNumbers(document).map(({ range }) => ({ message: INEXACT_IN_YAML, pos: range ?? [0] }))
  const faults = [...document.errors, ...document.warnings, ...repeated, ...inexact]
    .slice(0, MAX_FAULTS)
    .map((fault): PolicyProblem => ({ message: fault.message, path: [], ...place(lines, fault.pos[0]) }))
  if (document.directives.yaml.version !== '1.2') faults.push({ message: 'only YAML 1.2 is read', path: [] })
  if (faults.length > 0) return { policies: [], broken: [unreadable(origin, faults)] }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { policies: [], broken: [unreadable(origin, [{ message, path: [] }])] }
  }
  const nodes = yamlNodes(document)
  return parsePolicies(value, {
    ...origin,
    locate(path, key) {
      const found = key ? nodes.key(path)?.range : undefined
      const range = found ?? nearest(path, nodes.at)
      return range ? place(lines, range[0]) : undefined
    },
  })
}

/** Returns the place of the nearest node on the way to `path`. */
function nearest(path: (string | number)[], at: (path: (string | number)[]) => Node | undefined): Node['range'] {
  for (let length = path.length; length >= 0; length--) {
    const range = at(path.slice(0, length))?.range
    if (range) return range
  }
  return undefined
}

function place(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
