import { z } from 'zod'
import { RuleSpec } from './rule-schema.ts'

const { name, description, on, match, run, environment, profile, on_resolved } = RuleSpec.shape

const TriedRule = z
  .object({
    name,
    description,
    layer: z.enum(['console', 'overlay', 'pack']),
    origin: z.string().meta({ description: 'Its file, or who wrote it in the console' }),
    pack: z.string().optional(),
    on,
    match,
    run: run.meta({ description: 'The template that it starts' }),
    environment,
    profile,
    on_resolved,
  })
  .meta({ id: 'TriedRule', description: 'A sound rule of any layer.' })
export type TriedRule = z.output<typeof TriedRule>

export const Starters = z
  .object({
    rules: z.array(TriedRule).meta({ description: 'Of alerts and patterns, in the order in which they are tried' }),
    ingress: z
      .array(
        z.object({
          pack: z.string(),
          name: z.string(),
          path: z.string().meta({ example: '/triggers/ingress/sre/github-deployments' }),
          scheme: z.string().meta({ description: 'How its deliveries prove who sent them', example: 'github' }),
          rules: z.array(TriedRule),
        }),
      )
      .meta({ description: 'Signed webhooks of packs, each with rules of its own' }),
  })
  .meta({ id: 'Starters', description: 'What starts runs when something arrives.' })
export type Starters = z.output<typeof Starters>
