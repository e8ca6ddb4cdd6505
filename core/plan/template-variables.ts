import type { JsonObject } from '../json/json.ts'

const RUN_MEMBERS = new Set(['id', 'workspace_id', 'environment', 'lane', 'reason', 'decisions'])

/** What expressions and reports of a template may name, each with its members where they are known; no schema: its inputs are not. */
export function templateVariables(inputs: JsonObject | undefined): Map<string, ReadonlySet<string> | undefined> {
  return new Map<string, ReadonlySet<string> | undefined>([
    ['inputs', inputs === undefined ? undefined : inputNames(inputs)],
    ['steps', undefined],
    ['run', RUN_MEMBERS],
    ['trigger', undefined],
  ])
}

/** The declared inputs, when the schema is so plain that there can be no others. */
function inputNames(schema: JsonObject): ReadonlySet<string> | undefined {
  const { properties } = schema
  const isOpen = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'unevaluatedProperties'].some(
    (key) => key in schema,
  )
  if (isOpen || (schema.additionalProperties ?? false) !== false) return undefined
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return new Set()
  return new Set(Object.keys(properties))
}
