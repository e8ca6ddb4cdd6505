import { z } from 'zod'
import { parseTopic } from '#core/bus/topic.ts'
import type { Json } from '#core/json/json.ts'
import { defineOperator } from '#core/operator.ts'
import { cleanJson, cleanText } from '../clean-json.ts'
import { inOneOrder, JsonValue } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'

const MAX_BYTES = 64 * 1024

const BusPublishInput = z.strictObject({
  event: z
    .string()
    .min(1)
    .max(128)
    .refine(isName, 'words of letters, digits, _ and -, set apart by dots')
    .describe('Name of the event, published as pack.<pack>.<event>'),
  data: JsonValue.optional()
    .refine((data) => cleanJson(data) !== undefined, 'nested too deeply')
    .refine((data) => bytesOf(data) <= MAX_BYTES, `larger than ${MAX_BYTES} bytes`)
    .transform((data): Json => cleanJson(data) ?? null)
    .describe('What the event says; at most 64 kB'),
  subject: z
    .string()
    .min(1)
    .max(1_000)
    .transform(cleanText)
    .exactOptional()
    .describe('What it is about; default: the run'),
})
type BusPublishInput = { event: string; data?: Json; subject?: string }

/** Publishes an event under the name of the run's pack. It goes on the bus with the settlement of the step, and not without. */
export const busPublish = defineOperator<BusPublishInput>({
  id: 'bus.publish',
  version: 1,
  title: 'Publish an event',
  risk: 'low',
  action_type: 'event.publish',
  capabilities: ['bus.publish'],
  requires_approval: false,
  ...operatorInput(BusPublishInput as z.ZodType<BusPublishInput>),
  replay: () => 'safe',
  describe: ({ event, data, subject }) => ({
    summary: `publish the event "${event}" of the pack${subject === undefined ? '' : ` about "${subject}"`}`,
    targets: { kind: 'event', ids: [event] },
    command: JSON.stringify(inOneOrder(data ?? null), null, 2),
  }),
  simulate: async (_ctx, { event, data, subject }) => ({
    ok: true,
    summary: `would publish the event "${event}" of the pack`,
    details: { event, data: data ?? null, ...(subject !== undefined && { subject }) },
  }),
  async execute(ctx, { event, data, subject }) {
    await ctx.beforeSending()
    return {
      outputs: { event },
      events: [{ event, data: data ?? null, ...(subject !== undefined && { subject }) }],
    }
  },
})

function isName(event: string): boolean {
  try {
    return parseTopic(event).length > 0
  } catch {
    return false
  }
}

function bytesOf(data: Json | undefined): number {
  return Buffer.byteLength(JSON.stringify(data ?? null))
}
