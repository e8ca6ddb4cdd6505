import { z } from 'zod'
import { AskOrigin } from '../ask/ask-schema.ts'
import { HaltRefusalId } from '../halt/refused-schema.ts'
import type { JsonObject } from '../json/json.ts'

/** What a caller may say about a run of a template. Gates, caps and roles are not among it. */
export const RunRequest = z
  .strictObject({
    inputs: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ description: 'Checked against the template’s input schema' })
      .transform((fields) => fields as JsonObject),
    profile: z.string().max(100).optional(),
    config_preset: z.string().normalize().max(100).optional().meta({
      description:
        'Name or id of a config preset: it fills in inputs that the start does not name. Default: the default one, where there is one',
    }),
    environment: z.string().max(100).optional().meta({ description: 'Default: the workspace’s default environment' }),
    sandbox: z.boolean().optional(),
    dry_run: z.boolean().optional().meta({
      description: 'Act on nothing, ask nobody, wait for nothing; `outputs.dry_run` reports what each step would do',
    }),
    labels: z.record(z.string().max(100), z.string().max(1_000)).optional(),
    reason: z.string().max(4_000).optional(),
    template_digest: z.string().max(100).optional().meta({
      description: 'Digest of the template that was shown: if it has changed, the answer is 409 `plan_changed`',
    }),
    plan_hash: z.string().max(100).optional().meta({
      description:
        'The plan as `preflight` showed it: with another template, other inputs, another place, preset or verdict of the policies it answers 409 `plan_changed`',
    }),
    ask: AskOrigin.optional(),
    refusal: HaltRefusalId.optional(),
  })
  .meta({
    id: 'RunRequest',
    description: 'What a run is started with.',
    example: {
      inputs: { url: 'http://127.0.0.1:8080' },
      environment: 'development',
      reason: 'Errors after the deploy',
    },
  })
export type RunRequest = z.infer<typeof RunRequest>
