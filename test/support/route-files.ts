import { readFileSync } from 'node:fs'

const API = new URL('../../api/', import.meta.url)
const REGISTRY = readFileSync(new URL('registry.ts', API), 'utf8')

/** A kind of what is authored in the console: five operations that one definition makes. */
export interface AuthoredFamily {
  /** the file of its routes, from the root */
  file: string
  /** the object of services that has its verbs */
  verbs: string
  operations: string[]
}

const FILES = new Map(
  Array.from(REGISTRY.matchAll(/^import \* as (\w+) from '\.\/(routes\/[^']*)'$/gm), ([, name = '', path = '']) => [
    name,
    path,
  ]),
)

/** The families, as api/registry.ts serves them. */
export const AUTHORED_FAMILIES = Array.from(
  REGISTRY.matchAll(/\.\.\.(\w+)\.(\w+Routes)\b/g),
  ([, module = '', name]): AuthoredFamily => {
    const path = FILES.get(module) ?? ''
    const text = readFileSync(new URL(path, API), 'utf8')
    const made = new RegExp(`\\b${name} = authoredRoutes\\(\\{\\s*verbs: (\\w+),\\s*names: \\['(\\w+)', '(\\w+)'\\]`)
    const [, verbs, one, all] = made.exec(text) ?? []
    if (verbs === undefined) throw new Error(`api/${path}: ${name} begins with its verbs and its names`)
    const operations = [`list${all}`, ...['create', 'get', 'update', 'delete'].map((verb) => `${verb}${one}`)]
    return { file: `api/${path}`, verbs, operations }
  },
)

export function familyOf(operationId: string): AuthoredFamily | undefined {
  return AUTHORED_FAMILIES.find(({ operations }) => operations.includes(operationId))
}

/** The file of the route, from the root. */
export function routeFile(operationId: string): string {
  const path = FILES.get(new RegExp(`\\b(\\w+)\\.${operationId}Route\\b`).exec(REGISTRY)?.[1] ?? '')
  const file = path === undefined ? familyOf(operationId)?.file : `api/${path}`
  if (file === undefined) throw new Error(`api/registry.ts lists no ${operationId}Route`)
  return file
}
