import { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '#api/context.ts'
import { describeApi } from '#api/openapi.ts'
import { routes } from '#api/registry.ts'

interface Content {
  content?: Record<string, { schema?: object }>
}

export interface DescribedOperation {
  operationId: string
  parameters?: { name: string; in: string; schema: { type?: string; enum?: unknown[] } }[]
  requestBody?: Content
  'x-svc-key-scope'?: string
  responses: Record<string, Content>
}

export interface ApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>
}

/** The description of every route in the registry, without anything that a running API stands on. */
export function apiDocument(): ApiDocument {
  const app = new OpenAPIHono<ApiEnv>()
  for (const route of routes) route.mount(app)
  return describeApi(app, 'pinned') as ApiDocument
}
