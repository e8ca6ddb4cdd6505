import { z } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, HTML_PAGE } from '../../define-route.ts'
import { noConsole, showAsset, showConsole } from '../../pages/console-page.ts'

const MEDIA = ['text/javascript', 'text/css', 'image/svg+xml', 'font/woff2', 'image/png']
const shared = { method: 'get' as const, tags: ['meta'], access: 'download' as const, auth: 'public' as const }

export const getConsoleRoute = defineRoute(
  {
    ...shared,
    operationId: 'getConsole',
    path: '/console',
    summary: 'Open the console in a browser',
    description: 'The page is the same for everybody; what it shows, it asks the API for.',
    responses: {
      200: { description: 'The page', content: HTML_PAGE },
      503: { description: 'A page that says that the console is being built, or could not be', content: HTML_PAGE },
    },
  },
  (c) => answer(c, ''),
)

export const getConsoleFileRoute = defineRoute(
  {
    ...shared,
    operationId: 'getConsoleFile',
    path: '/console/*',
    summary: 'Pages and files of the console',
    description:
      'A path without an extension is a page of the console; any other is a file of its build, or not there.',
    responses: {
      200: {
        description: 'The page, or a file',
        content: {
          ...HTML_PAGE,
          ...Object.fromEntries(MEDIA.map((media) => [media, { schema: z.string() }])),
        },
      },
      503: { description: 'A page that says that the console is being built, or could not be', content: HTML_PAGE },
    },
    problems: ['not_found'],
  },
  (c) => answer(c, c.req.path.slice('/console/'.length)),
)

/** `/console/api` has only the routes of the API. */
function answer(c: ApiContext, path: string): Response | Promise<Response> {
  if (path === 'api' || path.startsWith('api/')) return c.notFound()
  const files = c.get('deps').console.files()
  if (typeof files === 'string') return noConsole(c, files)
  if (!/\.[a-z0-9]+$/i.test(path)) return showConsole(c, files)
  const asset = showAsset(c, files, path)
  if (asset === undefined) throw new DomainError('not_found', 'no such file')
  return asset
}
