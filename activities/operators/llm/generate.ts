import { DomainError } from '#core/errors.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { MODEL_ACTION, MODEL_CAPABILITY } from '#core/models/model.ts'
import { promptText as readablePrompt, stepPrompt } from '#core/models/step-prompt.ts'
import { usdFromMicro, usdText } from '#core/money.ts'
import { defineOperator, type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import { operatorInput } from '../operator-input.ts'
import { required } from '../required.ts'
import { askModel, type Generated, NO_MODEL } from './ask-model.ts'
import { type LlmGenerateInput, questionOf, Written } from './generate-schema.ts'
import { checkAnswer } from './model-answer.ts'
import { promptText, promptVariables } from './prompt-text.ts'

const SUMMARY_CHARS = 120
const USUAL_ROLE = 'default'
/** While these last, a template may say what is answered without a model. */
const WITHOUT = new Set(['not_configured', 'dependency_unavailable'])

const shape = operatorInput(Written)

/**
 * Asks a model one question, through the gateway. What it is told comes from the template; what comes from outside stands in the prompt as
 * data. It answers text, or JSON that fits a schema, and never anything that acts.
 */
export const llmGenerate = defineOperator<LlmGenerateInput>({
  id: 'llm.generate',
  version: 1,
  title: 'Ask a model',
  risk: 'low',
  action_type: MODEL_ACTION,
  capabilities: [MODEL_CAPABILITY],
  requires_approval: false,
  wants_scope: true,
  reads_of_scope: ({ prompt }) => promptVariables(prompt),
  as_written: { prompt: 'value', schema: 'json_schema', actions: 'value' },
  input_schema: shape.input_schema,
  parse,
  // a call that was lost is charged, and so is the one that repeats it
  replay: () => 'safe',
  asks: (input) => ({ model: input.model, prompt: stepPrompt(questionOf(input)) }),
  describe(input) {
    const said = input.prompt.replace(/\s+/g, ' ')
    const actions = input.actions === undefined ? '' : `; it may name ${input.actions.join(', ')}`
    return {
      summary: `ask the model ${input.model}: "${cutText(said, SUMMARY_CHARS)}${said.length > SUMMARY_CHARS ? '…' : ''}"${actions}`,
      targets: { kind: 'model', ids: [input.model] },
      command: readablePrompt(stepPrompt(questionOf(input))),
    }
  },
  simulate: async (ctx, input) => predictCall(ctx, input),
  async execute(ctx, input) {
    await ctx.beforeSending()
    try {
      return { outputs: outputsOf(await askModel(ctx, input)) }
    } catch (error) {
      if (input.without_model === undefined || !(error instanceof OperatorError) || !WITHOUT.has(error.code))
        throw error
      ctx.log.warn({ code: error.code, error: error.message }, 'answered without a model')
      return { outputs: withoutModel(ctx, input.without_model, error.message) }
    }
  },
})

function parse(given: JsonObject): LlmGenerateInput {
  const { role, model, prompt, scope, data, ...rest } = shape.parse(given)
  const input: LlmGenerateInput = {
    ...rest,
    ...(data !== undefined && { data }),
    model: model ?? role ?? USUAL_ROLE,
    prompt: promptText(prompt, { ...data, ...scope, data: data ?? {} }),
  }
  const { schema } = questionOf(input)
  if (schema !== undefined && schema['type'] !== 'object' && input.actions !== undefined)
    throw invalid('/schema', 'an answer that names an action is an object')
  if (input.without_model !== undefined) checkSubstitute(input, schema, input.without_model)
  else if (schema !== undefined) checkAnswer(null, { schema })
  return input
}

function checkSubstitute({ actions }: LlmGenerateInput, schema: JsonObject | undefined, substitute: Json): void {
  if (schema === undefined) {
    if (typeof substitute !== 'string') throw invalid('/without_model', 'without a schema an answer is text')
    return
  }
  const [fault] = checkAnswer(substitute, { schema, actions }).faults ?? []
  if (fault !== undefined) throw invalid(`/without_model${fault.pointer}`, fault.msg)
}

function invalid(pointer: string, msg: string): DomainError {
  const errors = [{ pointer, loc: pointer.split('/').slice(1), msg, type: 'invalid' }]
  return new DomainError('validation_failed', `${pointer}: ${msg}`, { errors })
}

async function predictCall(ctx: OperatorContext, input: LlmGenerateInput): Promise<Simulation> {
  const most_calls = questionOf(input).schema === undefined ? 1 : 2
  try {
    const models = required(ctx.models, NO_MODEL)
    const { model, worst_case_micro_usd, prompt_digest } = await models.predict(stepPrompt(questionOf(input)))
    return {
      ok: true,
      summary: `would ask the model ${model}, for at most ${usdText(worst_case_micro_usd)} USD a call`,
      details: { model, prompt_digest, worst_case_usd: usdFromMicro(worst_case_micro_usd), most_calls },
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code, message } = error
    if (input.without_model === undefined) return { ok: false, summary: message, details: { code } }
    return { ok: true, summary: `would ask no model: ${message}`, details: { code, from_model: false } }
  }
}

function outputsOf({ model, usage, cost, ...answer }: Generated): JsonObject {
  return { ...answer, model, usage: { ...usage }, cost_usd: usdFromMicro(cost), from_model: true }
}

/** What its calls cost all the same is in the ledger, and told here. */
function withoutModel({ models }: OperatorContext, substitute: Json, because: string): JsonObject {
  return {
    ...(typeof substitute === 'string' ? { text: substitute } : { json: substitute }),
    model: null,
    usage: null,
    from_model: false,
    because,
    cost_usd: usdFromMicro(models?.spent() ?? 0),
  }
}
