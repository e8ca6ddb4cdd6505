import { type Document, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml'
import { isExact } from '#core/json/exact-number.ts'
import { SEND_AS_TEXT } from '#core/json/parse-json.ts'

/** Most faults of a document in one report; once they are repaired, the next ones follow. */
export const MAX_FAULTS = 100

export const INEXACT_IN_YAML = `this ${SEND_AS_TEXT.replace('send', 'write')}`

type Path = readonly (string | number)[]

export interface YamlNodes {
  at(path: Path): Node | undefined
  /** the key at the end of a path, not its value */
  key(path: Path): Node | undefined
}

/** Finds the parts of a document. The keys of a mapping are indexed once: a search would start again for each fault. */
export function yamlNodes(document: Document.Parsed): YamlNodes {
  const indexes = new Map<YAMLMap, Map<unknown, Pair>>()

  function pairOf(map: YAMLMap, key: string | number): Pair | undefined {
    let index = indexes.get(map)
    if (index === undefined) {
      index = new Map(map.items.map((pair) => [keyOf(pair), pair]))
      indexes.set(map, index)
    }
    return index.get(key)
  }

  function at(path: Path): Node | undefined {
    let node: unknown = document.contents
    for (const part of path) {
      if (isMap(node)) node = pairOf(node, part)?.value
      else if (isSeq(node)) node = node.items[Number(part)]
      else return undefined
    }
    return isNode(node) ? node : undefined
  }

  return {
    at,
    key(path) {
      const [parent, last] = [at(path.slice(0, -1)), path.at(-1)]
      const key = isMap(parent) && last !== undefined ? pairOf(parent, last)?.key : undefined
      return isNode(key) ? key : undefined
    },
  }
}

/** The keys that their mapping has already. The library compares each key with each other one. */
export function repeatedKeys(document: Document.Parsed): Node[] {
  const repeated: Node[] = []
  const open: unknown[] = [document.contents]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isPair(node)) open.push(node.key, node.value)
    else if (isSeq(node)) for (const item of node.items) open.push(item)
    else if (isMap(node)) {
      const seen = new Set<unknown>()
      for (const pair of node.items) {
        const key = keyOf(pair)
        if (seen.has(key) && isNode(pair.key)) repeated.push(pair.key)
        seen.add(key)
        open.push(pair)
      }
    }
  }
  return repeated.sort((a, b) => (a.range?.[0] ?? 0) - (b.range?.[0] ?? 0))
}

/** The numbers that would be rounded, in their order. */
export function inexactNumbers(document: Document): Node[] {
  const found: Node[] = []
  visit(document, {
    Scalar(_key, node) {
      const { value, source } = node
      if (typeof value === 'number' && source !== undefined && !isExactInYaml(value, source)) found.push(node)
    },
  })
  return found
}

function isExactInYaml(value: number, source: string): boolean {
  if (/^[-+]?0[ox]/.test(source)) return Number.isSafeInteger(value)
  return /inf|nan/i.test(source) || isExact(source)
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : key
}
