import { z } from 'zod'

const Labels = z.record(z.string(), z.string()).default({})

/** One alert of a group in the shape of Alertmanager. */
export const GroupMember = z.object({
  status: z.string(),
  labels: Labels,
  annotations: Labels,
  startsAt: z.string().optional(),
  endsAt: z.string().optional(),
  generatorURL: z.string().optional(),
  fingerprint: z.string().optional(),
})
export type GroupMember = z.output<typeof GroupMember>
