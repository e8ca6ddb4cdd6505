import { z } from 'zod'
import { PipelineId } from './schema.ts'

const CONFIG_LAYERS = [
  'request',
  'bundle',
  'step',
  'advance',
  'config_preset',
  'workflow',
  'changed',
  'template',
  'profile',
  'environment',
  'workspace',
  'default',
  'unset',
] as const

const ComposedValue = z.object({
  name: z.string(),
  value: z
    .unknown()
    .optional()
    .meta({ description: 'The value that was or would be given; absent while it is not known' }),
  written: z.unknown().optional().meta({ description: 'The expression in the bundle, if it is one' }),
  layer: z.enum(CONFIG_LAYERS).meta({
    description:
      'Where it comes from: the start (`request`), the bundle, the `with` of the step, the person who advanced it (`advance`), the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, or a `default` of the service. `changed`: a preset or values that have changed since; `unset`: nothing sets it',
  }),
})

export const PipelineConfig = z
  .object({
    pipeline_id: PipelineId,
    settings: z.array(ComposedValue).meta({ description: 'Environment, profile, cap and bundle' }),
    inputs: z.array(ComposedValue),
    steps: z.array(
      z.object({
        id: z.string(),
        template: z
          .object({
            name: z.string(),
            digest: z.string(),
            changed: z.boolean().meta({ description: 'It has changed since the start' }),
          })
          .optional(),
        entry: z
          .object({
            index: z.int().min(0),
            count: z.int().min(0).optional().meta({ description: 'How many entries the list has, once that is known' }),
          })
          .optional()
          .meta({
            description:
              'Of a `for_each`: the entry that `inputs` are of. There are none where the list has no such entry',
          }),
        settings: z.array(ComposedValue),
        inputs: z.array(ComposedValue),
      }),
    ),
  })
  .meta({ id: 'PipelineConfig', description: 'Every value that a pipeline is composed of, with where it comes from.' })
export type PipelineConfig = z.infer<typeof PipelineConfig>
