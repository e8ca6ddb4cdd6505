import { z } from 'zod'
import { TOOL_NAME } from '#core/mcp/tool-schema.ts'
import { ConnectionId, inOneOrder, JsonRecord } from '../field-schema.ts'

/** What `mcp.tool` takes. */
export const McpToolInput = z
  .strictObject({
    connection: ConnectionId,
    tool: z
      .string()
      .regex(TOOL_NAME, 'a name of at most 128 letters, digits, and _ . -')
      .describe('A tool of the server that an admin has accepted'),
    arguments: JsonRecord.exactOptional().describe('Checked against the input schema that was accepted'),
    idempotent: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the tool may be called again after a lost answer; default false: a person is asked. A tool that was accepted as a read may be',
      ),
    max_bytes: z
      .int()
      .min(1)
      .max(4 * 1024 * 1024)
      .exactOptional()
      .describe('Largest answer accepted, in bytes; default 256 KiB'),
  })
  .transform((input) => ({
    ...input,
    ...(input.arguments !== undefined && { arguments: inOneOrder(input.arguments) as typeof input.arguments }),
  }))
export type McpToolInput = z.infer<typeof McpToolInput>
