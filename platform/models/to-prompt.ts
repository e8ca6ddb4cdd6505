import type { LanguageModelV3FilePart, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import { type ChatMessage, type ChatPart, partsOf, textOf } from '#core/models/chat.ts'
import type { ToolArguments } from './tool-arguments.ts'

/** A conversation in the words of the AI SDK. Throws `validation_failed` for what no provider could be sent. */
export function toPrompt(messages: readonly ChatMessage[], args: Pick<ToolArguments, 'hold'>): LanguageModelV3Prompt {
  const context: PromptContext = { tools: new Map(), args }
  return messages.map((message) => toMessage(message, context))
}

interface PromptContext {
  /** the name of the tool that each call so far was of */
  tools: Map<string, string>
  args: Pick<ToolArguments, 'hold'>
}

function toMessage(message: ChatMessage, { tools, args }: PromptContext): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) }
    case 'user':
      return { role: 'user', content: (partsOf(message.content) as ChatPart[]).map(toPart) }
    case 'assistant': {
      const context = message.tool_calls ?? []
      for (const call of context) tools.set(call.id, call.function.name)
      const calls = context.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.function.name,
        input: args.hold(call.function.arguments),
      }))
      const content = textOf(message.content)
      const text = content === '' ? [] : [{ type: 'text' as const, text: content }]
      return { role: 'assistant', content: [...text, ...calls] }
    }
    case 'tool': {
      const toolName = tools.get(message.tool_call_id)
      if (toolName === undefined)
        throw invalid(`the message of role tool answers ${message.tool_call_id}, which no message before it has called`)
      const output = { type: 'text' as const, value: textOf(message.content) }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.tool_call_id, toolName, output }] }
    }
  }
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/

function toPart(part: ChatPart): { type: 'text'; text: string } | LanguageModelV3FilePart {
  switch (part.type) {
    case 'text':
      return part
    case 'image_url': {
      const { url } = part.image_url
      if (!url.startsWith('data:')) return { type: 'file', data: webUrl(url), mediaType: 'image/*' }
      return { type: 'file', ...dataOf(url) }
    }
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { type: 'file', data, mediaType: format === 'wav' ? 'audio/wav' : 'audio/mpeg' }
    }
    case 'file':
      return {
        type: 'file',
        ...dataOf(part.file.file_data ?? ''),
        ...(part.file.filename !== undefined && { filename: part.file.filename }),
      }
  }
}

function dataOf(url: string): { data: string; mediaType: string } {
  const [, mediaType, data] = DATA_URL.exec(url) ?? []
  if (mediaType === undefined || data === undefined) throw invalid('a file or picture is a data: URL in base64')
  return { data, mediaType }
}

function webUrl(text: string): URL {
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw invalid('a picture is an http, https or data: URL')
  return new URL(text)
}

function invalid(message: string): DomainError {
  return new DomainError('validation_failed', message, {
    errors: [{ pointer: '/messages', loc: ['body', 'messages'], msg: message, type: 'invalid' }],
  })
}
