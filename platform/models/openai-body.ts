import type { ChatPrompt, ChatResponseFormat, ChatTool, ChatToolChoice } from '#core/models/chat.ts'
import { limitFieldOf, type Model } from '#core/models/model.ts'

/** Builds the body in the format of OpenAI from the caller's own values: the AI SDK would drop some of them, and rewrite others. */
export function openAiBody(model: Model, { max_tokens, ...prompt }: ChatPrompt, stream: boolean): string {
  const { messages, tools, tool_choice, response_format, ...settings } = prompt
  return JSON.stringify({
    ...settings,
    model: model.model,
    messages,
    ...(max_tokens !== undefined && { [limitFieldOf(model)]: max_tokens }),
    ...(tools !== undefined && { tools: tools.map(toolOf) }),
    ...(tool_choice !== undefined && { tool_choice: choiceOf(tool_choice) }),
    ...(response_format !== undefined && { response_format: formatOf(model, response_format) }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  })
}

function toolOf(tool: ChatTool) {
  return { type: 'function', function: tool }
}

function choiceOf(choice: ChatToolChoice) {
  return typeof choice === 'string' ? choice : { type: 'function', function: choice }
}

/** An endpoint without JSON Schemas is asked for any JSON. */
function formatOf({ structured_outputs }: Model, format: ChatResponseFormat) {
  if (format.type !== 'json_schema') return format
  const { type, ...json_schema } = format
  return structured_outputs ? { type, json_schema } : { type: 'json_object' }
}
