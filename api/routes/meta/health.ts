import { z } from '@hono/zod-openapi'
import { may } from '#services/auth/may.ts'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { page, showPage, visibleHtml, wantsPage } from '../../pages/page.ts'
import { HealthReport, toHealthReport } from '../../schemas/health.ts'

const LINKS = {
  console: '/console',
  docs: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  runs: '/runs',
  packs: '/packs',
} as const
const LABELS: Record<keyof typeof LINKS, string> = {
  console: 'The console, for people',
  docs: 'The API, to read and to try',
  openapi: 'The same as a document for programs',
  health: 'Whether runs can be admitted and executed',
  runs: 'The runs of your workspace (with a token)',
  packs: 'What can be run here (with a token)',
}

const Root = z
  .object({ name: z.string(), version: z.string(), links: z.record(z.string(), z.string()) })
  .meta({ id: 'Root', description: 'What is here.' })

export const getRootRoute = defineRoute(
  {
    operationId: 'getRoot',
    method: 'get',
    path: '/',
    tags: ['meta'],
    access: 'read',
    auth: 'public',
    summary: 'Say what is here and lead on',
    responses: {
      200: {
        ...ok(Root, 'Where to go'),
        content: { 'application/json': { schema: Root }, ...HTML_PAGE },
      },
    },
  },
  (c) => {
    const { version } = c.get('deps')
    if (!wantsPage(c)) return c.json({ name: 'svc', version, links: LINKS }, 200)
    const items = Object.entries(LINKS).map(
      ([name, path]) => `<li><a href="${path}">${path}</a>: ${LABELS[name as keyof typeof LINKS]}</li>`,
    )
    return showPage(c, page('svc', [`<h1>svc ${visibleHtml(version)}</h1>`, `<ul>${items.join('')}</ul>`]))
  },
)

export const getMetricsRoute = defineRoute(
  {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tags: ['meta'],
    access: 'download',
    auth: 'user',
    summary: 'Figures for Prometheus',
    description:
      'Of this process and of the whole deployment, in the text format 0.0.4. Nothing in them names a tenant.',
    responses: {
      200: { description: 'The figures', content: { 'text/plain': { schema: z.string() } } },
    },
  },
  async (c) => {
    const { body, content_type } = await c.get('deps').readMetrics()
    return c.text(body, 200, { 'content-type': content_type, 'cache-control': 'no-store' })
  },
)

export const getHealthRoute = defineRoute(
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tags: ['meta'],
    access: 'read',
    auth: 'public',
    summary: 'Tell whether runs can be admitted and executed',
    description: 'Public. `?verbose` adds details for signed-in users; others get the plain answer.',
    request: {
      query: z.object({
        verbose: z
          .string()
          .max(10)
          .optional()
          .meta({ description: 'Adds the details of each check, the lanes, what does not load, and versions' }),
      }),
    },
    responses: {
      200: ok(HealthReport, 'Everything answers'),
      503: ok(HealthReport, 'Something does not; `checks` says what'),
    },
  },
  async (c) => {
    const { health: check, describe } = c.get('deps')
    const verbose = c.req.valid('query').verbose !== undefined && may(c.get('actor'), 'user')
    const everywhere = c.get('actor').workspaces === '*'
    const [health, deployment] = await Promise.all([
      check(),
      verbose ? describe(c.get('ctx').workspace_id, everywhere) : undefined,
    ])
    c.header('Cache-Control', 'no-store')
    return c.json(toHealthReport(health, deployment), health.status === 'ok' ? 200 : 503)
  },
)
