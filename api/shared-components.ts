import { ID_PREFIX } from '#core/id.ts'

type Kind = 'responses' | 'parameters' | 'headers'

interface Parameter {
  name: string
  schema: { pattern?: string }
}
interface Response {
  description: string
  headers?: Record<string, object>
  content?: Record<string, { schema: object }>
}
interface Operation {
  parameters?: (Parameter | Reference)[]
  responses: Record<string, Response | Reference>
}
interface Description {
  components?: object
  paths?: object
}
interface Reference {
  $ref: string
}

/** By name: components by their JSON, with the number of operations that use them. */
type Uses = Map<string, Map<string, { part: object; times: number }>>

const MODEL_ERROR = '#/components/schemas/ModelError'
const CODES = /^`\w+`(?:, `\w+`)*$/

/** Moves repeated parts of the description to `components`, and refers to them. */
export function withSharedComponents(description: Description): Description {
  const headers = share(description, 'headers')
  const parameters = share(headers, 'parameters')
  return share(parameters, 'responses')
}

/** Resolves a reference of the description; other values are returned unchanged. */
export function dereferenced(description: object, value: unknown): unknown {
  if (!isReference(value)) return value
  const keys = value.$ref.replace(/^#\//, '').split('/')
  return keys.reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], description)
}

function share(description: Description, kind: Kind): Description {
  const uses: Uses = new Map()
  mapParts(description, kind, (name, part) => {
    const variants: NonNullable<ReturnType<Uses['get']>> = uses.get(name) ?? new Map()
    const json = JSON.stringify(part)
    uses.set(name, variants.set(json, { part, times: (variants.get(json)?.times ?? 0) + 1 }))
    return part
  })
  // a name goes to the most frequent part; rarer ones stay inline
  const shared = new Map(
    [...uses].flatMap(([name, variants]) => {
      const all = [...variants.values()].reduce((sum, { times }) => sum + times, 0)
      const usual = [...variants].find(([, { times }]) => times > 1 && times > all / 2)
      return usual === undefined ? [] : [[name, { json: usual[0], part: usual[1].part }] as const]
    }),
  )
  const paths = mapParts(description, kind, (name, part) =>
    shared.get(name)?.json === JSON.stringify(part) ? { $ref: `#/components/${kind}/${name}` } : part,
  )
  const defined = Object.fromEntries([...shared].map(([name, { part }]) => [name, part]))
  return { ...description, components: { ...description.components, [kind]: defined }, paths }
}

/** The paths, with every part of this kind that has a name replaced. */
function mapParts(
  { paths = {} }: Description,
  kind: Kind,
  replace: <Part extends object>(name: string, part: Part) => Part | Reference,
): object {
  return mapValues(paths as Record<string, Record<string, Operation>>, (operations) =>
    mapValues(operations, (operation) => {
      if (kind === 'parameters') {
        if (operation.parameters === undefined) return operation
        const parameters = operation.parameters.map((each) =>
          isReference(each) ? each : replace(parameterName(each), each),
        )
        return { ...operation, parameters }
      }
      const responses = mapValues(operation.responses, (response, status) => {
        if (isReference(response)) return response
        if (kind === 'headers')
          return response.headers === undefined
            ? response
            : { ...response, headers: mapValues(response.headers, (each, name) => replace(pascal(name), each)) }
        return Number(status) >= 400 && CODES.test(response.description)
          ? replace(responseName(response), response)
          : response
      })
      return { ...operation, responses }
    }),
  )
}

/** Names a response by its codes; errors of the models' routes, and pages, have names of their own. */
function responseName({ description, content = {} }: Response): string {
  const codes = description.replaceAll('`', '').split(', ').map(pascal).join('Or')
  const isModelError = Object.values(content).some(({ schema }) => isReference(schema) && schema.$ref === MODEL_ERROR)
  return `${isModelError ? 'Model' : ''}${codes}${'text/html' in content ? 'OrPage' : ''}`
}

/** Names a parameter by itself; an id by its kind. */
function parameterName({ name, schema }: Parameter): string {
  const prefix = /^\^([a-z]+)_/.exec(schema.pattern ?? '')?.[1]
  const kind = Object.entries(ID_PREFIX).find((each) => each[1] === prefix)?.[0]
  return name === 'id' && kind !== undefined ? `${pascal(kind)}Id` : pascal(name)
}

function pascal(text: string): string {
  return text
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function mapValues<Value, Mapped>(
  record: Record<string, Value>,
  map: (value: Value, key: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && '$ref' in value
}
