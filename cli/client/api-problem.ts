import { z } from 'zod'

/** RFC 9457, the shape of RFC 6749 section 5.2 that `/token` answers with, and that of OpenAI under `/v1`. */
const problemSchema = z.looseObject({
  code: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
  error: z.union([z.string(), z.looseObject({ message: z.string(), code: z.string().nullish() })]).optional(),
  error_description: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string().optional(), msg: z.string().optional() })).optional(),
})

/** An error of the API: its problem document, in words. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** as the API sent it */
  readonly document: Readonly<Record<string, unknown>>
  /** advice for the caller, where there is any */
  readonly advice: string | undefined

  constructor(status: number, document: unknown, advice?: string) {
    const problem = problemSchema.safeParse(document).data ?? {}
    const ofModel = typeof problem.error === 'object' ? problem.error : undefined
    const text =
      ofModel?.message ?? problem.detail ?? problem.error_description ?? problem.title ?? `the API answered ${status}`
    const fields = (problem.errors ?? []).map(({ pointer, msg }) => `\n  ${pointer || 'body'}: ${msg ?? 'is wrong'}`)
    super(`${text}${fields.join('')}`)
    this.name = 'ApiProblem'
    this.status = status
    this.code = ofModel?.code ?? problem.code ?? (typeof problem.error === 'string' ? problem.error : 'unknown')
    this.document = { status, title: text, code: this.code, ...problem, ...(advice !== undefined && { advice }) }
    this.advice = advice
  }
}
