import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '#core/json/json.ts'
import { parseForeignJson } from '#core/json/parse-json.ts'
import type { RequestBody } from './measured-fetch.ts'

/** The arguments of earlier tool calls, passed around the AI SDK, which would parse and reformat them. */
export interface ToolArguments extends RequestBody {
  /** the placeholder of a text until the request is written */
  hold(text: string): JsonObject
}

/**
 * Passes arguments unchanged: formats that take a string get the string, and those that take an object get its text. Text that is no object
 * cannot be sent as one: such a format gets an object that contains the text.
 */
export function createToolArguments(): ToolArguments {
  const mark = `svc-arguments-${randomUUID()}`
  // in the form of a string, or of an object
  const places = new RegExp(`"\\{\\\\"${mark}\\\\":(\\d+)\\}"|\\{"${mark}":(\\d+)\\}`, 'g')
  const held: string[] = []
  return {
    hold: (text) => ({ [mark]: held.push(text) - 1 }),
    fill(body) {
      if (held.length === 0) return body
      const filled = new Set<number>()
      const text = body.replace(places, (_place, asString: string | undefined, asObject: string | undefined) => {
        const at = Number(asString ?? asObject)
        filled.add(at)
        const given = held[at] ?? ''
        return asString === undefined ? objectText(given) : JSON.stringify(given)
      })
      if (filled.size !== held.length) throw new Error('arguments of tool calls were lost on their way to a request')
      return text
    },
  }
}

function objectText(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    if (isObject(parseForeignJson(text))) return text
  } catch {
    // not JSON: refused below
  }
  return JSON.stringify({ not_an_object: text })
}
