import { expect } from 'vitest'
import { z } from 'zod'
import { isModelPath } from '#api/model-error.ts'
import { ModelError } from '#api/schemas/chat-answer.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'

const RpcError = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.strictObject({ code: z.int(), message: z.string().min(1), data: z.object({ code: z.string() }) }),
})

/** The code of a refusal, in whichever format the path answers; the format has to be kept. */
export function refusalCode(path: string, text: string): string {
  const value: unknown = JSON.parse(text || 'null')
  const isRpc = path === '/mcp' && text.startsWith('{"jsonrpc"')
  const sound = (isRpc ? RpcError : isModelPath(path) ? ModelError.strict() : ProblemDocument).safeParse(value)
  expect(sound.success, text).toBe(true)
  return codeOf(value)
}

/** What a refusal says; nothing of any other answer. */
export function refusalOf(text: string): { code?: string; required_scope?: string } {
  const found = text.startsWith('{') ? JSON.parse(text) : {}
  if (found.type?.startsWith('/problems/')) return found
  const { error } = found
  if (typeof error?.data?.code === 'string') return { code: error.data.code }
  if (typeof error?.code !== 'string') return {}
  const scope = /API key lacks the scope (\S+)\.$/.exec(error.message)?.[1]
  return { code: error.code, ...(scope !== undefined && { required_scope: scope }) }
}

function codeOf(value: unknown): string {
  const { code } = refusalOf(JSON.stringify(value))
  return code ?? ''
}
