import { z } from 'zod'
import type { JsonObject } from '#core/json.ts'
import { TemplateName } from './tool-inputs.ts'

const Name = z.string().min(1).max(100)

/** What the model calls when the answer is to run something. It is no tool: it prepares the form that a person sends. */
export const proposeRunTool = {
  name: 'propose_run',
  description: 'Prepares the form of a run for a person to send. It starts nothing. Checks inputs, policies, budgets and who may start it.',
  input: z.strictObject({
    template: TemplateName,
    inputs: z
      .record(z.string(), z.unknown())
      .default({})
      .transform((fields) => fields as JsonObject),
    environment: Name.optional(),
    profile: Name.optional(),
    config_preset: Name.optional(),
  }),
}
