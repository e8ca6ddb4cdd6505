import { z } from 'zod'
import { isObject } from '../json/json.ts'

const SCALAR = 'takes text, a number or a boolean'

/** A text as tools send it: nothing, as null or left out, and a number or a boolean by its text. */
export const SenderText = z
  .unknown()
  .nullish()
  .transform((value, ctx) => textOf(value, ctx))

/** Names with texts, such as labels; entries without a value are dropped. */
export const SenderTexts = z
  .unknown()
  .nullish()
  .transform((value, ctx): Record<string, string> => {
    if (value === undefined || value === null) return {}
    if (!isObject(value)) {
      ctx.addIssue({ code: 'custom', message: 'takes an object of names and texts' })
      return z.NEVER
    }
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const text = textOf(member, ctx, [name])
        return text === undefined ? [] : [[name, text] as const]
      }),
    )
  })

function textOf(value: unknown, ctx: z.RefinementCtx, path: string[] = []): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  ctx.addIssue({ code: 'custom', message: SCALAR, path })
  return undefined
}

/** An alert of a group in the shape of Alertmanager. */
export const GroupMember = z.object({
  status: z.string(),
  labels: SenderTexts,
  annotations: SenderTexts,
  startsAt: SenderText,
  endsAt: SenderText,
  generatorURL: SenderText,
  fingerprint: SenderText,
})
export type GroupMember = z.output<typeof GroupMember>
