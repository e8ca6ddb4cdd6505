import { z } from 'zod'

const Scalar = z.union([z.string(), z.number(), z.boolean()], 'takes text, a number or a boolean').transform(String)
const Labels = z.record(z.string(), Scalar).default({})

/** The alert of a tool that has no shape of its own here; other members are not looked at. */
export const GenericAlert = z.object({
  source: z.string().default('generic'),
  service: z.string().optional(),
  symptom: z.string(),
  status: z.enum(['firing', 'resolved'], 'takes firing or resolved').default('firing'),
  severity: Scalar.optional(),
  external_id: Scalar.optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  labels: Labels,
  annotations: Labels,
  starts_at: z.string().optional(),
  ends_at: z.string().optional(),
  links: z.array(z.object({ title: z.string().optional(), url: z.string() })).default([]),
})
export type GenericAlert = z.output<typeof GenericAlert>
