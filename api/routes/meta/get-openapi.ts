import { z } from '@hono/zod-openapi'
import { defineRoute, ok } from '../../define-route.ts'

const OpenApiDocument = z
  .looseObject({ openapi: z.string() })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' })

export const getOpenapiRoute = defineRoute(
  {
    operationId: 'getOpenapi',
    method: 'get',
    path: '/openapi.json',
    tags: ['meta'],
    access: 'download',
    auth: 'public',
    summary: 'Read this description',
    responses: { 200: ok(OpenApiDocument, 'The description of every route') },
  },
  (c) => c.json(OpenApiDocument.parse(c.get('document')()), 200),
)
