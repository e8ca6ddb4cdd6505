import { z } from 'zod'
import { TOOL_EFFECTS, TOOL_NAME, TOOL_STATES } from './tool-schema.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hexadecimal digits')
  .meta({
    description: 'Of a definition: name, title, description, schemas and annotations',
    example: `sha256:${'5f2c9a1e'.repeat(8)}`,
  })
const Effect = z.enum(TOOL_EFFECTS).meta({
  description: 'What a person has found it to do. Nothing that the server claims makes a tool a read',
})
const Schema = z.record(z.string(), z.unknown())

export const McpToolName = z
  .string()
  .regex(TOOL_NAME, 'a name of at most 128 letters, digits, and _ . -')
  .meta({ description: 'Name of a tool', example: 'create_ticket' })

export const McpToolDiscovery = z
  .strictObject({
    environment: z.string().min(1).max(100).optional().meta({
      description: 'Whose egress rules hold; default: that of runs that name none',
      example: 'staging',
    }),
  })
  .meta({ id: 'McpToolDiscovery', description: 'Asks a server for its tools.' })

export const McpToolAcceptance = z
  .strictObject({
    definition_digest: Digest,
    effect: Effect.optional().meta({ description: 'What the tool does; without it, it is a write', example: 'write' }),
  })
  .meta({ id: 'McpToolAcceptance', description: 'The definition that a person has read.' })

export const McpToolRecord = z
  .object({
    name: McpToolName,
    title: z.string().optional(),
    description: z.string().optional().meta({ description: 'In the words of the server; not to be trusted' }),
    input_schema: Schema,
    output_schema: Schema.optional(),
    annotations: Schema.optional().meta({ description: 'Claims of the server: they raise the risk and lower nothing' }),
    state: z.enum(TOOL_STATES).meta({
      description:
        '`new`: nobody has accepted it; `changed`: it is not what was accepted; `removed`: the server lists it no more. Steps use accepted tools alone',
    }),
    definition_digest: Digest,
    found_at: Time,
    accepted: z
      .object({ definition_digest: Digest, effect: Effect, by: z.string(), at: Time })
      .optional()
      .meta({ description: 'What was accepted; absent where nothing was' }),
    changes: z
      .array(z.object({ member: z.string(), before: z.string().optional(), after: z.string().optional() }))
      .optional()
      .meta({ description: 'Of a changed tool: what differs from what was accepted' }),
    close_to: z.string().optional().meta({ description: 'Of a new tool: an accepted one with nearly the same name' }),
  })
  .meta({ id: 'McpTool', description: 'A tool of an MCP server. Characters that cannot be seen are escaped.' })
export type McpToolRecord = z.output<typeof McpToolRecord>

export const McpToolsFound = z
  .object({
    tools: z.array(McpToolRecord),
    left_out: z
      .array(z.object({ name: z.string(), why: z.string() }))
      .meta({ description: 'Tools that cannot be accepted', example: [] }),
  })
  .meta({ id: 'McpToolsFound', description: 'The tools of a server, as it describes them now.' })
export type McpToolsFound = z.output<typeof McpToolsFound>
