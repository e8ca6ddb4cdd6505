import { z } from 'zod'
import { MAX_ARGUMENTS } from '#core/ask/limits.ts'
import { DomainError } from '#core/errors.ts'
import { MAX_DEPTH, parseForeignJson } from '#core/json/parse-json.ts'
import type { AskFinding, AskTool, AskToolContext } from './define-ask-tool.ts'

/** A failed call of a tool; the model gets the reason, and may try again. */
export class ToolRefusal extends Error {}

/** Runs one of these tools by its name. Throws `ToolRefusal` for a name that none has, arguments that it does not take, and what failed. */
export async function runTool(
  tools: readonly AskTool[],
  ctx: AskToolContext,
  call: { name: string; args: unknown },
): Promise<AskFinding> {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined)
    throw new ToolRefusal(`there is no such tool; there are ${tools.map(({ name }) => name).join(', ')}, propose_run`)
  return await explained(() => tool.run(ctx, call.args))
}

/** The arguments of a call as the model wrote them. */
export function parseArguments(text: string): unknown {
  if (text.length > MAX_ARGUMENTS) throw new ToolRefusal(`the arguments are longer than ${MAX_ARGUMENTS} characters`)
  try {
    const args = parseForeignJson(text === '' ? '{}' : text)
    if (hasProto(args)) throw new ToolRefusal('no argument is named __proto__')
    return args
  } catch (error) {
    if (error instanceof ToolRefusal) throw error
    throw new ToolRefusal(`the arguments are not JSON, or nested deeper than ${MAX_DEPTH} levels`)
  }
}

function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto)
}

/** Turns an error into a message for the model, without internals of the service. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof z.ZodError)
      throw new ToolRefusal(
        error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; '),
      )
    if (error instanceof DomainError && (error.code === 'not_found' || error.code === 'validation_failed'))
      throw new ToolRefusal(error.message)
    throw new ToolRefusal('it could not be read; ask for less, or for something else', { cause: error })
  }
}
