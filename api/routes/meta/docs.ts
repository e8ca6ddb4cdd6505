import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from '@hono/zod-openapi'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { PROBLEM_CODES } from '../../problem.ts'

export const getProblemRoute = defineRoute(
  {
    operationId: 'getProblem',
    method: 'get',
    path: '/problems/{code}',
    tags: ['meta'],
    access: 'read',
    auth: 'public',
    summary: 'Explain an error code',
    description: 'Where the `type` of a problem document leads: what it means and what to do.',
    request: { params: z.object({ code: z.enum(PROBLEM_CODES) }) },
    responses: { 200: { description: 'Markdown', content: { 'text/markdown': { schema: z.string() } } } },
  },
  async (c) => {
    const page = new URL(`../../../docs/errors/${c.req.valid('param').code}.md`, import.meta.url)
    return c.body(await readFile(page, 'utf8'), 200, { 'content-type': 'text/markdown; charset=utf-8' })
  },
)

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

const require = createRequire(import.meta.url)

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>svc API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'list',
  displayRequestDuration: true, tryItOutEnabled: false, validatorUrl: null })
`

/** Only our own files, and only to talk to our own server. The page writes inline styles, never inline scripts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export const getDocsRoute = defineRoute(
  {
    operationId: 'getDocs',
    method: 'get',
    path: '/docs',
    tags: ['meta'],
    access: 'download',
    auth: 'public',
    summary: 'Browse and try the API',
    responses: { 200: { description: 'A page', content: HTML_PAGE } },
  },
  (c) => c.body(PAGE, 200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }),
)

const ASSETS = {
  'swagger-ui.css': {
    media: 'text/css; charset=utf-8',
    read: () => readOnce(require.resolve('swagger-ui-dist/swagger-ui.css')),
  },
  'swagger-ui-bundle.js': {
    media: 'text/javascript; charset=utf-8',
    read: () => readOnce(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'start.js': { media: 'text/javascript; charset=utf-8', read: async () => START },
} as const

export const getDocsAssetRoute = defineRoute(
  {
    operationId: 'getDocsAsset',
    method: 'get',
    path: '/docs/{asset}',
    tags: ['meta'],
    access: 'download',
    auth: 'public',
    summary: 'Files of the docs page',
    request: { params: z.object({ asset: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js']) }) },
    responses: {
      200: {
        description: 'A file',
        content: { 'text/javascript': { schema: z.string() }, 'text/css': { schema: z.string() } },
      },
    },
  },
  async (c) => {
    const asset = ASSETS[c.req.valid('param').asset]
    return c.body(await asset.read(), 200, { 'content-type': asset.media, 'cache-control': 'public, max-age=3600' })
  },
)

const files = new Map<string, Promise<string>>()

/** The path is constant: no part of it comes from the request. */
function readOnce(path: string): Promise<string> {
  const known = files.get(path) ?? readFile(path, 'utf8')
  files.set(path, known)
  // a failed read is repeated
  known.catch(() => files.delete(path))
  return known
}
