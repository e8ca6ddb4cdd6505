import { DomainError } from '#core/errors.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { inlineData } from '#core/models/data-text.ts'
import { cleanJson } from '../clean-json.ts'
import { createLiquid, variablesOf } from '../liquid-text.ts'

const MAX_CHARS = 256 * 1024

/** What a template writes is the question; every value that it prints is marked as data. */
const liquid = createLiquid({ outputEscape: (value: unknown) => inlineData(cleanJson(value) ?? null) })
// it would print a value without that mark
liquid.registerFilter('raw', (value: unknown) => value)

/** Renders the text of a prompt. Throws `validation_failed`. */
export function promptText(text: string, scope: JsonObject): string {
  const rendered = attempt(() => String(liquid.parseAndRenderSync(text, scope)).trim())
  if (rendered === '') throw invalid('the prompt is empty')
  if (rendered.length > MAX_CHARS) throw invalid(`the prompt is longer than ${MAX_CHARS} characters`)
  return rendered
}

/** The variables that it reads, as paths. */
export function promptVariables(text: Json | undefined): string[][] {
  return variablesOf(liquid, text)
}

function attempt(render: () => string): string {
  try {
    return render()
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error), error)
  }
}

function invalid(message: string, cause?: unknown): DomainError {
  const errors = [{ pointer: '/prompt', loc: ['prompt'], msg: message, type: 'invalid' }]
  return new DomainError('validation_failed', `/prompt: ${message}`, { errors }, { cause })
}
