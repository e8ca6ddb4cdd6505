import { z } from '@hono/zod-openapi'
import { ApprovalOutcome } from '#core/run/approval-schema.ts'
import { verifyLink } from '../../approval-link.ts'
import { answerByLink } from '../../approval-link-answer.ts'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { PROBLEM_CODES } from '../../problem.ts'
import { LINK_PROBLEMS, LinkAnswer, LinkParams } from '../../schemas/approval-link.ts'

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
    max_body_bytes: 64 * 1_024,
  },
  async (c) => await answerByLink(c, { ...c.req.valid('json'), ...c.req.valid('form') }),
)
