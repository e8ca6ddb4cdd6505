import { fittingValue } from './fitting-value.ts'

/** What the server of scripted models is asked, as far as it looks. */
export interface ScriptedRequest {
  model: string
  messages: { role: string; content?: unknown }[]
  tools?: { function: { name: string } }[] | undefined
  response_format?: { type: string; json_schema?: { schema?: unknown } | undefined } | undefined
}

export interface ScriptedAnswer {
  text: string
  tool?: { name: string; arguments: string }
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | undefined
}

const BYTES_A_TOKEN = 4
const BY_A_LIE = 1_000_000

/** What a scripted model says: it repeats the last message, calls the first tool where it has one, and answers JSON where that is asked for. */
export function scriptedAnswer({ model, messages, tools, response_format }: ScriptedRequest): ScriptedAnswer {
  const last = messages.at(-1)
  const said = textOf(last?.content)
  const tool = last?.role === 'tool' ? undefined : tools?.[0]
  const structured = structuredAnswer(model, messages, response_format?.json_schema?.schema)
  const text = tool
    ? ''
    : structured !== undefined
      ? JSON.stringify(structured)
      : response_format === undefined || response_format.type === 'text'
        ? said
        : JSON.stringify({ answer: said })
  const prompt_tokens = tokensOf(messages.map(({ content }) => textOf(content)).join(' ')) + messages.length
  const completion_tokens = tokensOf(tool ? '{}' : text)
  return {
    text,
    ...(tool && { tool: { name: tool.function.name, arguments: said.startsWith('{') ? said : '{}' } }),
    usage: usageOf(model, prompt_tokens, completion_tokens),
  }
}

const WRONG = { wrong: true }
const ILLS = /out_of_memory|bad_release|disk_full/

/** What the scripts for structured answers say; undefined for every other model. */
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

function usageOf(model: string, prompt_tokens: number, completion_tokens: number): ScriptedAnswer['usage'] {
  if (model === 'no-usage') return undefined
  if (model === 'lies-low') return { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const times = model === 'lies-high' ? BY_A_LIE : 1
  const [input, output] = [prompt_tokens * times, completion_tokens * times]
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
