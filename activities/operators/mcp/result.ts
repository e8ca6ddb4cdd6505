import { isObject, type Json, type JsonObject, textOf } from '#core/json/json.ts'
import type { ToolDefinition } from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import { firstViolation } from '#core/plan/json-schema.ts'
import { cutText } from '#core/text/text.ts'
import { cleanJson } from '../clean-json.ts'

const TEXT_CHARS = 65_536
const REASON_CHARS = 2_000
const MAX_PARTS = 100

export type McpOutputs = {
  /** all texts of the answer, a line apart */
  text: string
  /** what the tool answers beside it, as its output schema says */
  structured?: Json
  /** what else it answers, without its bytes; nothing of it is fetched */
  other: JsonObject[]
  /** the words are those of the server */
  untrusted: true
}

/** The answer of a tool as a step's outputs. Throws OperatorError `tool_failed`, and `answer_invalid` where it breaks its output schema. */
export function toolOutputs(result: JsonObject, { name, output_schema }: ToolDefinition): McpOutputs {
  const clean = cleanJson(result)
  if (!isObject(clean))
    throw new OperatorError('answer_invalid', `${name} has been called; its answer is nested too deeply`)
  const parts = Array.isArray(clean['content']) ? clean['content'].filter(isObject).slice(0, MAX_PARTS) : []
  const texts = parts.flatMap((part) => (part['type'] === 'text' ? [textOf(part['text'])] : []))
  const text = cutText(texts.join('\n'), TEXT_CHARS)
  if (clean['isError'] === true)
    throw new OperatorError('tool_failed', `${name} failed: ${cutText(text, REASON_CHARS)}`, {
      details: { said: cutText(text, REASON_CHARS) },
    })
  const structured = clean['structuredContent']
  if (output_schema !== undefined) mustFit(name, output_schema, structured)
  return {
    text,
    ...(structured !== undefined && { structured }),
    other: parts.flatMap((part) => (part['type'] === 'text' ? [] : [withoutBytes(part)])),
    untrusted: true,
  }
}

function mustFit(name: string, schema: JsonObject, structured: Json | undefined): void {
  const first = structured === undefined ? undefined : firstViolation(schema, structured, { foreign: true })
  if (structured !== undefined && first === undefined) return
  const why = first === undefined ? 'it has no structured content' : `${first.pointer} ${first.msg}`
  throw new OperatorError('answer_invalid', `${name} has been called; its answer breaks its output schema: ${why}`)
}

function withoutBytes({ data: _data, blob: _blob, resource, ...part }: JsonObject): JsonObject {
  return isObject(resource) ? { ...part, resource: withoutBytes(resource) } : part
}
