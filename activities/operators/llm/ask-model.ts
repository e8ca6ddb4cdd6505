import type { Json } from '#core/json/json.ts'
import type { ChatAnswer, ChatPrompt, ModelUsage } from '#core/models/chat.ts'
import { type AnswerFault, repairPrompt, stepPrompt } from '#core/models/step-prompt.ts'
import type { MicroUsd } from '#core/money.ts'
import { type OperatorContext, OperatorError, type OperatorModels } from '#core/operator.ts'
import { cleanText } from '../clean-json.ts'
import { required } from '../required.ts'
import { type LlmGenerateInput, questionOf } from './generate-schema.ts'
import { type AnswerShape, readAnswer } from './model-answer.ts'

export type Generated = ({ text: string } | { json: Json }) & {
  model: string
  usage: ModelUsage | null
  cost: MicroUsd
}

interface Reply {
  model: string
  answer: ChatAnswer
}

export const NO_MODEL = 'no model can be asked here'

/** Asks, and where the answer does not fit, once more. Each call is paid for by itself. Throws OperatorError. */
export async function askModel(ctx: Pick<OperatorContext, 'models'>, input: LlmGenerateInput): Promise<Generated> {
  const models = required(ctx.models, NO_MODEL)
  const question = questionOf(input)
  const { schema } = question
  const prompt = stepPrompt(question)
  const first = await ask(models, prompt)
  const cost = () => models.spent()
  if (schema === undefined) {
    const { content, usage } = first.answer
    return { text: cleanText(content), model: first.model, usage: usage ?? null, cost: cost() }
  }
  const expected = { schema, actions: input.actions }
  const read = check(first, expected)
  if (read.faults === undefined)
    return { json: read.json, model: first.model, usage: first.answer.usage ?? null, cost: cost() }
  const second = await ask(models, repairPrompt(prompt, first.answer.content, read.faults)).catch((error: unknown) => {
    throw withFaults(error, read.faults)
  })
  const again = check(second, expected)
  if (again.faults !== undefined) throw invalidOutput(again.faults)
  return { json: again.json, model: second.model, usage: sum(first.answer.usage, second.answer.usage), cost: cost() }
}

async function ask(models: OperatorModels, prompt: ChatPrompt): Promise<Reply> {
  const reply = await models.ask(prompt)
  const { finish, content, refusal } = reply.answer
  if (refusal !== undefined || finish === 'content_filter' || (content.trim() === '' && finish !== 'length'))
    throw new OperatorError('model_refused', `the model ${reply.model} has refused to answer, or has said nothing`)
  return reply
}

function check({ answer }: Reply, expected: AnswerShape) {
  const read = readAnswer(answer.content, expected)
  if (read.faults === undefined || answer.finish !== 'length') return read
  return { faults: [{ pointer: '', msg: 'was cut off, because it is too long: answer more briefly' }, ...read.faults] }
}

function invalidOutput(faults: readonly AnswerFault[]): OperatorError {
  const [first] = faults
  const where = first === undefined ? 'it' : `${first.pointer === '' ? 'it' : first.pointer} ${first.msg}`
  return new OperatorError('model_output_invalid', `the answer does not fit, also the second time: ${where}`, {
    details: { errors: faults.map((fault) => ({ ...fault })) },
  })
}

/** A second call that was not made says why there was to be one. */
function withFaults(error: unknown, faults: readonly AnswerFault[]): unknown {
  if (!(error instanceof OperatorError)) return error
  const { code, message, retryable, details, retry_after_ms } = error
  const errors = faults.map((fault) => ({ ...fault }))
  return new OperatorError(code, message, {
    retryable,
    retry_after_ms,
    details: { ...details, errors },
    cause: error,
  })
}

function sum(first: ModelUsage | undefined, second: ModelUsage | undefined): ModelUsage | null {
  if (first === undefined || second === undefined) return null
  return {
    input: first.input + second.input,
    output: first.output + second.output,
    cached: first.cached + second.cached,
    cache_write: first.cache_write + second.cache_write,
    reasoning: first.reasoning + second.reasoning,
  }
}
