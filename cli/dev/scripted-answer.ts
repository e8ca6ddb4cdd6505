import { fittingValue } from './fitting-value.ts'
import { lookUpRuns } from './look-up-runs.ts'

interface ScriptedMessage {
  role: string
  content?: unknown
}

/** One answer of a script: calls of tools, or a text. */
export interface ScriptedTurn {
  calls?: { name: string; arguments?: object | string | undefined }[] | undefined
  say?: string | undefined
}

/** The next answer of the model `script`. */
export type Script = (request: ScriptedRequest) => ScriptedTurn

/** The parts of a request that scripted models read. */
export interface ScriptedRequest {
  model: string
  messages: ScriptedMessage[]
  max_tokens?: number | null | undefined
  tools?: { function: { name: string } }[] | undefined
  response_format?: { type: string; json_schema?: { schema?: unknown } | undefined } | undefined
}

export interface ScriptedAnswer {
  text: string
  tools: { name: string; arguments: string }[]
  /** true when `max_tokens` cut it */
  cut?: boolean
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined
}

const BYTES_A_TOKEN = 4
const BY_A_LIE = 1_000_000

/** Answers as a scripted model: it repeats the last message, calls the first tool where there is one, and answers JSON on request. */
export function scriptedAnswer(request: ScriptedRequest, script: Script = scriptInQuestion): ScriptedAnswer {
  const { model, messages, tools, response_format, max_tokens } = request
  if (model === 'script') return answerOf(request, script(request))
  if (model === 'lookup') return answerOf(request, lookedUp(request))
  const last = messages.at(-1)
  const last_text = textOf(last?.content)
  const tool = last?.role === 'tool' ? undefined : tools?.[0]
  const most = (max_tokens ?? Number.POSITIVE_INFINITY) * BYTES_A_TOKEN
  const structured = structuredAnswer(model, messages, response_format?.json_schema?.schema)
  const text = tool
    ? ''
    : structured !== undefined
      ? JSON.stringify(structured)
      : response_format === undefined || response_format.type === 'text'
        ? last_text.slice(0, most)
        : JSON.stringify({ answer: last_text })
  return {
    text,
    cut: text.length === most && last_text.length > most,
    tools: tool ? [{ name: tool.function.name, arguments: last_text.startsWith('{') ? last_text : '{}' }] : [],
    usage: usageOf(request, tool ? '{}' : text),
  }
}

function answerOf(request: ScriptedRequest, { calls = [], say = '' }: ScriptedTurn): ScriptedAnswer {
  const tools = calls.map(({ name, arguments: args = {} }) => ({
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }))
  return { text: say, tools, usage: usageOf(request, `${say}${JSON.stringify(tools)}`) }
}

/** A block ```script in the last question is JSON: the answers to it, one after the other. Without one the question is repeated. */
function scriptInQuestion({ messages }: ScriptedRequest): ScriptedTurn {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const question = textOf(messages[at]?.content)
  const [, block] = /```script\n([\s\S]*?)\n```/.exec(question) ?? []
  if (block === undefined) return { say: question }
  const turns = JSON.parse(block) as ScriptedTurn[]
  const answered = messages.slice(at).filter(({ role }) => role === 'assistant').length
  return turns[Math.min(answered, turns.length - 1)] ?? { say: '' }
}

function lookedUp({ messages, tools = [] }: ScriptedRequest): ScriptedTurn {
  if (!tools.some((tool) => tool.function.name === 'list_runs')) return { say: 'I answer questions to svc ask alone.' }
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(at).filter(({ role }) => role === 'tool')
  return lookUpRuns(
    textOf(messages[at]?.content),
    results.map(({ content }) => textOf(content)),
  )
}

const WRONG = { wrong: true }
const ILLS = /out_of_memory|bad_release|disk_full/

/** Answers of the scripts for structured answers; undefined for any other model. */
function structuredAnswer(model: string, messages: ScriptedRequest['messages'], schema: unknown): unknown {
  const isRepair = messages.some(({ role }) => role === 'assistant')
  switch (model) {
    case 'fits':
    case 'hang-once':
      return fittingValue(schema)
    case 'fits-second':
      return isRepair ? fittingValue(schema) : WRONG
    case 'never-fits':
      return WRONG
    case 'hostile':
      return { ...Object(fittingValue(schema)), action: 'delete_everything' }
    case 'triage':
    case 'makes-up': {
      const ill = ILLS.exec(messages.map(({ content }) => textOf(content)).join(' '))?.[0] ?? 'unknown'
      return {
        diagnosis: `The service says of itself that it is ill: ${ill}.`,
        citations: [{ evidence: 'health', quote: model === 'triage' ? ill : 'an error that nobody has logged' }],
        action: ill === 'bad_release' ? 'rollback' : 'restart',
      }
    }
    default:
      return undefined
  }
}

function usageOf({ model, messages }: ScriptedRequest, text: string): ScriptedAnswer['usage'] {
  if (model === 'no-usage') return undefined
  if (model === 'lies-low') return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const times = model === 'lies-high' ? BY_A_LIE : 1
  const asked = messages.map(({ content }) => textOf(content)).join(' ')
  const [input, output] = [(tokensOf(asked) + messages.length) * times, tokensOf(text) * times]
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

function tokensOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / BYTES_A_TOKEN))
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (isText(part) ? part.text : '')).join('')
}

function isText(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
}
