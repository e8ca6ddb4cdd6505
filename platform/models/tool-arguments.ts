import { randomUUID } from 'node:crypto'
import { isObject } from '#core/json.ts'
import type { ModelProvider } from '#core/models/model.ts'

/** The arguments of earlier calls of tools, on their way through the AI SDK, which would parse them and write them again. */
export interface ToolArguments {
  /** what stands for a text until the request is written */
  hold(text: string): string
  /** the request with every text in its place, byte for byte */
  fill(body: string): string
}

/**
 * Formats that take arguments as a string get the string; those that take an object get its text. One that is no object cannot be sent as
 * one: such a format gets an object that holds the text.
 */
export function createToolArguments(provider: ModelProvider): ToolArguments {
  const asString = provider === 'openai' || provider === 'openai_compatible'
  const nonce = randomUUID()
  // some packages write what is no JSON as a string of JSON
  const places = new RegExp(`"(?:\\\\")?svc-arguments-${nonce}-(\\d+)-(?:\\\\")?"`, 'g')
  const held: string[] = []
  return {
    hold: (text) => `svc-arguments-${nonce}-${held.push(text) - 1}-`,
    fill(body) {
      if (held.length === 0) return body
      const filled = new Set<number>()
      const text = body.replace(places, (_place, index: string) => {
        const at = Number(index)
        filled.add(at)
        const given = held[at] ?? ''
        return asString ? JSON.stringify(given) : objectText(given)
      })
      if (filled.size !== held.length) throw new Error('arguments of tool calls were lost on their way to a request')
      return text
    },
  }
}

function objectText(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    if (isObject(JSON.parse(text))) return text
  } catch {
    // it is told below that it is none
  }
  return JSON.stringify({ not_an_object: text })
}
