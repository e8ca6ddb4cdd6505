import { z } from 'zod'
import { Slug } from '../names/name-schema.ts'
import { RunRequest } from '../run/start-schema.ts'

/** The request of a person, a command or a chat tool to start a template. */
export const ManualTrigger = RunRequest.omit({ ask: true, refusal: true })
  .extend({
    pack: Slug,
    template: Slug,
    wait: z.boolean().default(false).meta({ description: 'Answer with the result when it is there in time' }),
    wait_timeout_s: z.number().min(0.1).max(120).default(30).meta({ description: 'How long `wait` waits' }),
    lane: z.literal('background').optional().meta({ description: 'Gives way to what is urgent; there is no way up' }),
  })
  .meta({
    id: 'ManualTrigger',
    description: 'A start by hand.',
    example: {
      pack: 'sre',
      template: 'service-recovery',
      inputs: { url: 'http://127.0.0.1:8080' },
      wait: true,
      reason: 'Errors after the deploy',
    },
  })
export type ManualTrigger = z.infer<typeof ManualTrigger>

const Evidence = z.strictObject({
  title: z.string().min(1).max(500),
  ref: z
    .string()
    .min(1)
    .max(2_000)
    .meta({ description: 'Where it is to be found', example: 'https://logs.example/q/17' }),
  digest: z.string().max(200).optional().meta({ description: 'Of what was found there' }),
})

/** A signal that another system has recognised already. */
export const PatternSignal = z
  .strictObject({
    pattern: z.string().trim().min(1).max(200).meta({ description: 'What was recognised' }),
    service: z.string().trim().min(1).max(200),
    symptom: z.string().trim().min(1).max(200).optional().meta({ description: 'Default: the pattern' }),
    confidence: z.number().min(0).max(1).optional(),
    evidence: z.array(Evidence).max(100).default([]),
    inputs: RunRequest.shape.inputs,
    pack: Slug.optional(),
    template: Slug.optional().meta({ description: 'With `pack`: what to run. Without both, rules choose' }),
  })
  .refine((signal) => (signal.pack === undefined) === (signal.template === undefined), {
    message: 'pack and template go together',
    path: ['template'],
  })
  .meta({
    id: 'PatternSignal',
    description: 'A pattern that another system recognised.',
    example: {
      pattern: 'ServiceUnhealthy',
      service: 'checkout',
      confidence: 0.93,
      evidence: [{ title: 'Error rate', ref: 'https://grafana.example/d/7' }],
    },
  })
export type PatternSignal = z.infer<typeof PatternSignal>
