import { z } from 'zod'
import { SEVERITIES } from './alert.ts'

const Time = z.iso.datetime()
const Texts = z.record(z.string(), z.string())

/** An alert in the answer of its run. */
const RunAlert = z
  .object({
    source: z.string().meta({ description: 'The tool that sent it', example: 'alertmanager' }),
    service: z.string().meta({ example: 'checkout' }),
    symptom: z.string().meta({ example: 'HighErrorRate' }),
    status: z.enum(['firing', 'resolved']),
    severity: z.enum(SEVERITIES),
    title: z.string().meta({ example: 'More than 5 % of the requests fail' }),
    external_id: z.string().optional(),
    description: z.string().optional(),
    labels: Texts,
    annotations: Texts,
    values: Texts.optional().meta({ description: 'What the queries of its rule answered' }),
    links: z.array(z.object({ title: z.string(), url: z.string() })),
    generator_url: z.string().optional().meta({ description: 'Where the tool shows what raised it' }),
    starts_at: Time.optional(),
    ends_at: Time.optional(),
    digest: z.string().meta({ description: 'Of the alert as it stood in the payload, whole' }),
    cut: z.array(z.string()).optional().meta({ description: 'Members of which something was left out for its size' }),
  })
  .meta({ id: 'RunAlert', description: 'An alert as its run keeps it; known secrets are redacted.' })

export const RunTrigger = z
  .object({
    alert: RunAlert.meta({ description: 'What started the run, as it was then' }),
    members: z
      .array(RunAlert.extend({ member: z.string(), received_at: Time, updated_at: Time }))
      .meta({ description: 'The last state of each member, in the order in which they came' }),
    members_cut: z
      .boolean()
      .meta({ description: 'More members came than are kept; `alerts` has the digests of the last 50' }),
  })
  .meta({
    id: 'RunTrigger',
    description: 'The alert that started a run, and those that attached to it; lists of runs leave it out.',
  })
