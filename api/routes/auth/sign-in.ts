import { z } from '@hono/zod-openapi'
import { defineRoute, form, HTML_PAGE } from '../../define-route.ts'
import { signIn } from '../../sign-in.ts'

const Credentials = z
  .object({ email: z.string().max(254), password: z.string().max(1_000), next: z.string().max(200) })
  .meta({ id: 'PageSignIn', description: 'What the sign-in of a page sends.' })

export const signInRoute = defineRoute(
  {
    operationId: 'signIn',
    method: 'post',
    path: '/sign-in',
    tags: ['auth'],
    access: 'write',
    auth: 'public',
    summary: 'Sign in to read pages in a browser',
    description:
      'Where the page of a run leads whoever is not signed in. Its cookie shows pages and nothing else: every other route takes a token.',
    request: { body: form(Credentials) },
    responses: {
      303: { description: 'To what they came for' },
      401: {
        description: 'The form again, which says what was not right',
        content: HTML_PAGE,
      },
    },
    problems: ['rate_limited', 'forbidden', 'not_configured'],
    max_body_bytes: 8 * 1_024,
  },
  async (c) => await signIn(c, c.req.valid('form')),
)
