import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Api } from '#api/app.ts'
import type { Route } from '#api/define-route.ts'
import type { ApiDeps } from '#api/deps.ts'
import { isModelPath } from '#api/model-error.ts'
import { routes } from '#api/registry.ts'
import { addressOf } from '#api/workspace-address.ts'
import { type DescribedOperation, readDocument } from './api-document.ts'

const document = readDocument()

/** Schemas of the description, as `svc#/paths/...`; what is compiled is kept for all APIs of the process. */
export const ajv = addFormats
  .default(new Ajv2020.Ajv2020({ strict: false, allErrors: true }))
  .addSchema(document, 'svc')

const patterns = routes.map((route) => ({ route, pattern: patternOf(route.path) }))
const compiled = new Map<string, ValidateFunction>()

/** Where the description of the operation has `rest`, as a reference that `ajv` resolves. */
export function pointerTo({ path, method }: Pick<Route, 'path' | 'method'>, rest: string): string {
  return `svc#/paths/${pointerPart(path)}/${method}/${rest}`
}

/**
 * Every answer that the API gives from now on is held against its description: one that does not fit rejects the request. Each
 * difference is also told to `report`, because who asks through a server, or inside of the API, does not see why.
 */
export function holdToDescription(app: Api, deps: ApiDeps, report: (difference: Error) => void): void {
  const { fetch } = app
  app.fetch = async (request, ...rest) => {
    const answer = await fetch(request, ...rest)
    try {
      await mustFit(request, answer, deps)
    } catch (difference) {
      report(difference as Error)
      throw difference
    }
    return answer
  }
}

async function mustFit(request: Request, answer: Response, deps: ApiDeps): Promise<void> {
  const { path } = addressOf(new URL(request.url).pathname)
  const asked = `${request.method} ${path}: ${answer.status}`
  const type = answer.headers.get('content-type')?.split(';')[0]
  // a page with a slash at its end is answered before any operation, without a body
  if (answer.status === 308 && path.endsWith('/') && (await answer.clone().text()) === '') return
  const route = routeOf(request.method, path, deps)
  // a path with other methods is answered before any operation
  const described =
    route === undefined || answer.status === 405 ? unrouted(path) : describedAnswer(route, answer.status)
  if (described === undefined) throw new Error(`${asked} is not described`)
  if (type === undefined) {
    if (described.types.length > 0) throw new Error(`${asked} has no content type; described: ${described.types}`)
    return
  }
  // of any type, and so of no shape
  if (!described.types.includes(type) && described.types.includes('*/*')) return
  if (!described.types.includes(type)) throw new Error(`${asked} is ${type}; described: ${described.types}`)
  if (!/[/+]json$/.test(type) || request.method === 'HEAD') return
  const fits = validator(described.schema(type))
  const body: unknown = JSON.parse(await answer.clone().text())
  if (!fits(body)) throw new Error(`${asked} does not fit its description:\n${differences(fits)}`)
}

interface DescribedAnswer {
  types: string[]
  /** a reference to the schema of this type */
  schema(type: string): string
}

/** What an operation answers with this status. */
function describedAnswer(route: Route, status: number): DescribedAnswer | undefined {
  const operation = document.paths[route.path]?.[route.method]
  const key = keyOf(operation, status)
  if (key === undefined) return undefined
  return {
    types: Object.keys(operation?.responses[key]?.content ?? {}),
    schema: (type) => pointerTo(route, `responses/${key}/content/${pointerPart(type)}/schema`),
  }
}

function keyOf(operation: DescribedOperation | undefined, status: number): string | undefined {
  return [String(status), 'default'].find((key) => operation?.responses[key] !== undefined)
}

/** Where no operation is, refusals still have their form. */
function unrouted(path: string): DescribedAnswer {
  const [type, name] = isModelPath(path) ? ['application/json', 'ModelError'] : ['application/problem+json', 'Problem']
  return { types: [type], schema: () => `svc#/components/schemas/${name}` }
}

/** The operation that answers; of several that match, the one that is listed first. */
function routeOf(method: string, path: string, deps: ApiDeps): Route | undefined {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === asked && pattern.test(path) && route.offered(deps))
    ?.route
}

function patternOf(path: string): RegExp {
  return new RegExp(
    `^${path
      .replace(/[.]/g, '\\.')
      .replace(/\*$/, '.*')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  )
}

function pointerPart(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function validator(ref: string): ValidateFunction {
  const known = compiled.get(ref)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: ref })
  compiled.set(ref, made)
  return made
}

function differences({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .map(({ instancePath, message, params }) => `  ${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('\n')
}
