import { z } from 'zod'
import { DomainError, type FieldError } from '#core/errors.ts'
import { wellFormed } from '#core/json/canonical.ts'
import { type JsonObject, jsonPointer } from '#core/json/json.ts'

interface OperatorInput<Input extends JsonObject> {
  parse(input: JsonObject): Input
  input_schema: JsonObject
}

/** The two faces of one schema that an operator shows: the parser and its JSON Schema (2020-12). */
export function operatorInput<Input extends JsonObject>(schema: z.ZodType<Input>): OperatorInput<Input> {
  const emitted = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' })
  return {
    input_schema: JSON.parse(JSON.stringify(emitted)),
    parse(input) {
      // what no encoding can carry is replaced before anybody is shown it
      const result = schema.safeParse(wellFormed(input))
      if (result.success) return result.data
      const errors = result.error.issues.map(fieldError)
      const first = errors[0]
      const where = first === undefined || first.pointer === '' ? 'input' : first.pointer
      throw new DomainError('validation_failed', `${where}: ${first?.msg ?? 'invalid'}`, { errors })
    },
  }
}

function fieldError(issue: z.core.$ZodIssue): FieldError {
  const loc = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  return { pointer: jsonPointer(loc), loc, msg: issue.message, type: issue.code }
}
