import { z } from 'zod'
import { SenderText, SenderTexts } from './sender-schema.ts'

/** One alert of a group in the shape of Alertmanager. */
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
