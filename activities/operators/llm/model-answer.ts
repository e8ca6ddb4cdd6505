import type { Json, JsonObject } from '#core/json/json.ts'
import { parseForeignJson, UNLIMITED } from '#core/json/parse-json.ts'
import { namesAction } from '#core/models/role-schema.ts'
import type { AnswerFault } from '#core/models/step-prompt.ts'
import { compileSchema, hasManyMembers, schemaFieldErrors } from '#core/plan/json-schema.ts'
import { cutText } from '#core/text/text.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { cleanJson } from '../clean-json.ts'

const MAX_BYTES = 256 * 1024
const MAX_FAULTS = 10
const FAULT_CHARS = 200
/** What models put around JSON that they were asked for alone. */
const FENCED = /^```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```$/

/** What an answer has to fit. */
export interface AnswerShape {
  schema: JsonObject
  actions?: readonly string[] | undefined
}

export type CheckedAnswer = { json: Json; faults?: undefined } | { faults: AnswerFault[] }

/** Reads an answer as JSON. */
export function readAnswer(text: string, shape: AnswerShape): CheckedAnswer {
  if (Buffer.byteLength(text) > MAX_BYTES)
    return { faults: [{ pointer: '', msg: `is larger than ${MAX_BYTES} bytes` }] }
  const trimmed = text.trim()
  try {
    return checkAnswer(parseForeignJson(FENCED.exec(trimmed)?.[1] ?? trimmed, UNLIMITED), shape)
  } catch {
    return { faults: [{ pointer: '', msg: 'is no JSON' }] }
  }
}

/** Checks a value against the schema, whose defaults are filled in, and against the list of actions. Throws `validation_failed` for a broken schema. */
export function checkAnswer(value: unknown, { schema, actions }: AnswerShape): CheckedAnswer {
  const json = cleanJson(value)
  const validate = compileSchema(schema, { first: json === undefined || hasManyMembers(json) })
  if (json === undefined) return { faults: [{ pointer: '', msg: 'is nested too deeply' }] }
  if (!validate(json)) {
    const faults = schemaFieldErrors(validate.errors).map(({ pointer, msg }) => ({
      pointer: shown(pointer),
      msg: shown(msg),
    }))
    return { faults: faults.slice(0, MAX_FAULTS) }
  }
  if (actions !== undefined && !namesAction(json, actions))
    return { faults: [{ pointer: '/action', msg: `must be one of ${actions.join(', ')}` }] }
  return { json }
}

/** Names of members come from the model. */
function shown(text: string): string {
  return cutText(visibleLine(text), FAULT_CHARS)
}
