import type { Json } from '#core/json/json.ts'

export type JsonSchema = Record<string, Json>

/** Annotations of read-only tools, which clients may let an agent call without a confirmation. */
export const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** A read of the API as agents are offered it. */
export interface McpTool {
  path: string
  /** location of each argument */
  places: ReadonlyMap<string, 'path' | 'query'>
  /** as `tools/list` gives it */
  shown: {
    name: string
    title: string
    description: string
    inputSchema: {
      type: 'object'
      properties: Record<string, JsonSchema>
      required: string[]
      additionalProperties: false
    }
    annotations: typeof ANNOTATIONS & { title: string }
  }
}
