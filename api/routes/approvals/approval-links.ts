import { z } from '@hono/zod-openapi'
import { ApprovalOutcome } from '#core/run/approval-schema.ts'
import { showApprovalLink } from '#services/approvals/links/show-approval-link.ts'
import { bearerActor, linkContext, openedLink, pageNonce, verifyLink, wantsJson } from '../../approval-link.ts'
import { answerByLink, pageAnswer } from '../../approval-link-answer.ts'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { awaitsSession, knownUser, RELOADED } from '../../link-sign-in.ts'
import { linkRefusalPage } from '../../pages/approval-page.ts'
import { PROBLEM_CODES } from '../../problem.ts'
import { ApprovalLink, LINK_PROBLEMS, LinkAnswer, LinkParams } from '../../schemas/approval-link.ts'

export const decideApprovalLinkRoute = defineRoute(
  {
    operationId: 'decideApprovalLink',
    method: 'post',
    path: '/triggers/approve/{workflow_id}',
    tags: ['approvals'],
    access: 'callback',
    auth: 'signature',
    verify: verifyLink,
    refusal_pages: PROBLEM_CODES,
    summary: 'Decide on the page of a magic link',
    description:
      'Takes what a scanner of links does not have: the code from the message, or a person who signs in; and the nonce of the page together with its cookie.',
    request: {
      params: LinkParams,
      query: z.object({ token: z.string().optional() }),
      body: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': { schema: LinkAnswer },
          'application/json': { schema: LinkAnswer },
        },
      },
    },
    responses: {
      200: {
        ...ok(ApprovalOutcome, 'What the decision led to'),
        content: { 'application/json': { schema: ApprovalOutcome }, ...HTML_PAGE },
      },
    },
    problems: LINK_PROBLEMS,
    max_body_bytes: 64 * 1024,
  },
  async (c) => await answerByLink(c, { ...c.req.valid('json'), ...c.req.valid('form') }),
)

export const showApprovalLinkRoute = defineRoute(
  {
    operationId: 'showApprovalLink',
    method: 'get',
    path: '/triggers/approve/{workflow_id}',
    tags: ['approvals'],
    access: 'callback',
    auth: 'signature',
    verify: verifyLink,
    refusal: linkRefusalPage,
    refusal_pages: PROBLEM_CODES,
    summary: 'Follow a magic link from a message',
    description:
      'Shows what is to be decided, as a page or as JSON, and decides nothing: previews and scanners may come as often as they like. A program decides in one request with `decision` and the header `X-Svc-Confirm: <nonce>`, the nonce being that of the JSON answer, and with `X-Svc-Code` or a bearer token.',
    request: {
      params: LinkParams,
      query: z.object({
        token: z.string().optional().meta({ description: 'Signature of the link' }),
        decision: z
          .string()
          .optional()
          .meta({ description: '`approve` or `reject`; counts with `X-Svc-Confirm` only' }),
        note: z.string().max(4_000).optional(),
        [RELOADED]: z.string().optional().meta({ description: 'The page has loaded itself again' }),
      }),
    },
    responses: {
      200: {
        description: 'What the link leads to; of a program that decides, what its decision led to',
        content: { 'application/json': { schema: z.union([ApprovalLink, ApprovalOutcome]) }, ...HTML_PAGE },
      },
    },
    problems: LINK_PROBLEMS,
  },
  async (c) => {
    const { decision, note } = c.req.valid('query')
    const confirmed = c.req.method === 'GET' && c.req.header('x-svc-confirm') !== undefined
    if (confirmed && decision !== undefined) {
      const chosen = decision === 'approve' || decision === 'reject' ? decision : ''
      const code = c.req.header('x-svc-code')
      return await answerByLink(c, { decision: chosen, note, code })
    }
    const actor = (await bearerActor(c)) ?? (await knownUser(c))
    const view = await showApprovalLink(linkContext(c), openedLink(c), { actor, nonce: pageNonce(c) })
    const again = view.login_required && actor === undefined && awaitsSession(c)
    const search = new URLSearchParams({ token: c.req.valid('query').token ?? '', [RELOADED]: '1' })
    return pageAnswer(c, view, { json: wantsJson(c), ...(again && { reload_from: `?${search}` }) })
  },
)
