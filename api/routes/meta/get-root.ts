import { z } from '@hono/zod-openapi'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { page, visibleHtml } from '../../page.ts'
import { showPage, wantsPage } from '../../page-sign-in.ts'

const LINKS = { docs: '/docs', openapi: '/openapi.json', health: '/healthz', runs: '/runs', packs: '/packs' } as const
const WORDS: Record<keyof typeof LINKS, string> = {
  docs: 'The API, to read and to try',
  openapi: 'The same as a document for programs',
  health: 'Whether runs can be admitted and carried out',
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
      ([name, path]) => `<li><a href="${path}">${path}</a>: ${WORDS[name as keyof typeof LINKS]}</li>`,
    )
    return showPage(c, page('svc', [`<h1>svc ${visibleHtml(version)}</h1>`, `<ul>${items.join('')}</ul>`]))
  },
)
