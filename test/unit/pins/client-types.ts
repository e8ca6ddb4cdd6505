import openapiTS, { astToString } from 'openapi-typescript'

const HEAD = '// Written from the description of the API by `npm run pins`; never edited by hand.\n\n'
const REFUSED = {
  description: 'A refusal',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
}

/** The description of the API as types of its client. Every refusal is a problem, so that they are told once an operation. */
export async function clientTypes(document: Described): Promise<string> {
  const described: Described & { [key: string]: unknown } = structuredClone({ ...document })
  for (const operation of Object.values(described.paths).flatMap((methods) => Object.values(methods))) {
    const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
    operation.responses = { ...Object.fromEntries(answers), default: REFUSED }
  }
  return (
    HEAD +
    astToString(
      await openapiTS(JSON.stringify(described), {
        defaultNonNullable: false,
        emptyObjectsUnknown: true,
        silent: true,
      }),
    )
  )
}
