import { z } from 'zod'
import { canonicalText } from '../json/canonical.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isObject } from '../json/json.ts'
import { compileSchema } from '../plan/json-schema.ts'
import { differingParts } from '../text/differing-parts.ts'
import { cutText, utf8Bytes } from '../text/text.ts'

export const MAX_TOOLS = 200
const MAX_BYTES = 32_768
/** SEP-986: what a tool may be called. */
export const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
/** Keeps the digest apart from that of any other document. */
const DIGEST_LABEL = 'svc mcp tool definition v1'

export const TOOL_EFFECTS = ['read', 'write'] as const
export type ToolEffect = (typeof TOOL_EFFECTS)[number]

export const TOOL_STATES = ['new', 'accepted', 'changed', 'removed'] as const
export type ToolState = (typeof TOOL_STATES)[number]

/** All of a tool that a person accepts: whatever else a server says of it has no effect. */
export type ToolDefinition = {
  name: string
  title?: string
  description?: string
  input_schema: JsonObject
  output_schema?: JsonObject
  annotations?: JsonObject
}

/** A definition as a person accepted it, and what they found the tool to do. */
export interface AcceptedTool {
  definition: ToolDefinition
  digest: string
  effect: ToolEffect
}

const Schema = z.custom<JsonObject>((value) => isObject(value) && value['type'] === 'object', 'a schema of an object')
const Described = z.object({
  name: z.string().regex(TOOL_NAME, 'a name of at most 128 letters, digits, and _ . -'),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: Schema,
  outputSchema: Schema.optional(),
  annotations: z.custom<JsonObject>(isObject, 'an object').optional(),
  execution: z.object({ taskSupport: z.string().optional() }).optional(),
})

/** A tool that cannot be accepted, and why. */
export interface LeftOut {
  name: string
  why: string
}

/** Reads a tool as a server describes it. */
export function readTool(described: Json): ToolDefinition | LeftOut {
  const name = isObject(described) && typeof described['name'] === 'string' ? cutText(described['name'], 128) : ''
  if (utf8Bytes(JSON.stringify(described)) > MAX_BYTES)
    return { name, why: `its definition has more than ${MAX_BYTES} bytes` }
  const parsed = Described.safeParse(described)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { name, why: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  const { title, description, inputSchema, outputSchema, annotations, execution } = parsed.data
  if (execution?.taskSupport === 'required') return { name, why: 'it is called as a task alone, which no step does' }
  if (JSON.stringify(inputSchema).includes('"x-mcp-header":'))
    return { name, why: 'it takes arguments as headers (x-mcp-header), which no step sends' }
  try {
    compileSchema(inputSchema, { foreign: true })
    if (outputSchema !== undefined) compileSchema(outputSchema, { foreign: true })
  } catch (error) {
    return { name, why: error instanceof Error ? cutText(error.message, 300) : 'its schema cannot be read' }
  }
  return {
    name: parsed.data.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    input_schema: inputSchema,
    ...(outputSchema !== undefined && { output_schema: outputSchema }),
    ...(annotations !== undefined && { annotations }),
  }
}

/** The text that the digest of a definition is over. */
export function digestedText(definition: ToolDefinition): string {
  return canonicalText([DIGEST_LABEL, definition])
}

/** A member of a definition that differs; absent where it was, or is, not there. */
export type ToolChange = {
  member: string
  before?: string
  after?: string
}

const MEMBERS = ['title', 'description', 'input_schema', 'output_schema', 'annotations'] as const
const CHANGE_CHARS = 4_000
/** What differs between two definitions, member by member: of long ones the part from shortly before the first difference. */
export function toolChanges(before: ToolDefinition, after: ToolDefinition): ToolChange[] {
  return MEMBERS.flatMap((member) => {
    const [was, is] = [textOf(before[member]), textOf(after[member])]
    if (was === is) return []
    const [from, to] = differingParts(was ?? '', is ?? '', CHANGE_CHARS)
    return [{ member, ...(was !== undefined && { before: from }), ...(is !== undefined && { after: to }) }]
  })
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : canonicalText(value)
}

/** Annotations are claims of the server: they raise the risk, and lower nothing. */
export function claimsToDestroy({ annotations }: Pick<ToolDefinition, 'annotations'>): boolean {
  return annotations?.['destructiveHint'] === true
}
