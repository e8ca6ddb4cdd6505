import openapiTS, { astToString } from 'openapi-typescript'
import { dereferenced } from '#api/shared-components.ts'
import type { ApiDocument } from '#test/support/api-document.ts'

const HEAD = '// Written from the description of the API by `npm run pins`; never edited by hand.\n\n'
const REFUSED: object = { $ref: '#/components/responses/Refused' }
const REFUSAL = {
  description: 'A refusal',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** The description of the API as types of its client. Every refusal is a problem, so that they are told once an operation. */
export async function clientTypes(document: ApiDocument): Promise<string> {
  const { components, ...described } = structuredClone(document)
  for (const operation of Object.values(described.paths).flatMap((methods) => Object.values(methods))) {
    const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
    // a header that is referred to would count as one that is always there
    for (const { headers = {} } of answers.map(([, answer]) => answer))
      for (const [name, header] of Object.entries(headers)) headers[name] = dereferenced(document, header)
    operation.responses = { ...Object.fromEntries(answers), default: REFUSED }
  }
  const shared = { ...components, headers: {}, responses: { Refused: REFUSAL } }
  const types = await openapiTS(JSON.stringify({ ...described, components: shared }), {
    defaultNonNullable: false,
    emptyObjectsUnknown: true,
    silent: true,
  })
  return HEAD + withoutAbsent(astToString(types))
}

/** Without the methods and parameters that a path does not have, without absent bodies, and without cookies, which nothing takes. */
function withoutAbsent(types: string): string {
  const end = types.indexOf('\n}\n')
  const paths = types.slice(0, end).replace(/^ +\w+\?: never;\n/gm, '')
  return (
    paths.replace(/^ +parameters: \{\n +\};\n/gm, '') +
    types.slice(end).replace(/^ +(cookie|requestBody)\?: never;\n/gm, '')
  )
}
