import { z } from '@hono/zod-openapi'
import { AskAnswer, PlanQuestion } from '#core/ask/ask-schema.ts'
import { defined } from '#core/json/json.ts'
import { PolicyDraft, PolicyRehearsal } from '#core/policy/rehearsal-schema.ts'
import { PolicyAnswer, PolicyListed, PolicyQuestion, PolicyTouch } from '#core/policy/view-schema.ts'
import { resolvePlan } from '#services/ask/resolve-plan.ts'
import { explainPolicy } from '#services/policies/explain-policy.ts'
import { listPolicies } from '#services/policies/list-policies.ts'
import { rehearsePolicy } from '#services/policies/rehearse-policy.ts'
import { simulatePolicies } from '#services/policies/simulate-policies.ts'
import { MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { answerTurn } from '../../to-chat-prompt.ts'
import { TURN_STREAM } from '../../turn-stream.ts'

export const resolvePlanRoute = defineRoute(
  {
    operationId: 'resolvePlan',
    method: 'post',
    path: '/console/api/ask',
    tags: ['ask'],
    verb: resolvePlan,
    summary: 'Resolve an intent to a plan',
    description: `The same turn as \`POST /ask\`, in a thread of its own. A small model answers it unless the request names another. ${TURN_STREAM}`,
    request: { body: json(PlanQuestion) },
    responses: {
      200: {
        description: 'The answer, with the form of the run where one fits',
        content: { 'application/json': { schema: AskAnswer }, 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['BudgetExceeded', 'policy_denied', 'needs_approval', 'frozen', 'halted', 'not_configured'],
    idempotent: true,
  },
  async (c) => await answerTurn(c, (ctx, hooks) => resolvePlan(ctx, c.req.valid('json'), hooks)),
)

export const rehearsePolicyRoute = defineRoute(
  {
    operationId: 'rehearsePolicy',
    method: 'post',
    path: '/console/api/policies/rehearse',
    tags: ['policies'],
    access: 'read',
    auth: 'admin',
    summary: 'Test a policy on the runs of the last 30 days, before it is saved',
    description:
      'The draft is checked as it would be when it is saved; what is wrong with it is part of the answer. Its place is taken by name among the policies of the console, in the environments of `attach`. The plans of the newest 20,000 runs are judged by the policies in force and with the draft, by all four authorities, before inputs are rendered; what differs is listed. Freezes and halts are left out: they pass. Nothing is saved.',
    request: { body: json(PolicyDraft) },
    // JSON escaping makes a text longer
    max_body_bytes: 2 * MAX_DOCUMENT_BYTES,
    responses: { 200: ok(PolicyRehearsal, 'What would be different') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await rehearsePolicy(ctx, c.req.valid('json')), 200)
  },
)

export const simulatePoliciesRoute = defineRoute(
  {
    operationId: 'simulatePolicies',
    method: 'post',
    path: '/console/api/policies/simulate',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'Ask what the policies would say',
    description:
      'Of a subject, or of a template: the whole plan and each of its steps, by all four authorities, before inputs are rendered. Freezes and halts are left out: they pass. Nothing is started or written.',
    request: { body: json(PolicyQuestion) },
    responses: { 200: ok(PolicyAnswer, 'The verdict, with the policies that led to it') },
  },
  async (c) => c.json(await simulatePolicies(c.get('ctx'), c.req.valid('json')), 200),
)

export const explainPolicyRoute = defineRoute(
  {
    operationId: 'explainPolicy',
    method: 'get',
    path: '/console/api/policies/{name}/explain',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'Which steps a policy touches',
    description:
      'Each step of each template in each environment of the workspace, or in the named one, with the demands of the policy there and the outcome of the step. A policy has no effect where it is not in force.',
    request: {
      params: z.object({ name: z.string().min(1).max(200).meta({ example: 'guard' }) }),
      query: z.object({ environment: z.string().min(1).max(100).optional() }),
    },
    responses: { 200: ok(z.array(PolicyTouch), 'The steps that it touches') },
  },
  async (c) => c.json(await explainPolicy(c.get('ctx'), c.req.valid('param').name, c.req.valid('query')), 200),
)

export const listPoliciesRoute = defineRoute(
  {
    operationId: 'listPolicies',
    method: 'get',
    path: '/console/api/policies',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'List the policies of all layers',
    description:
      'Those of packs, of files and of the console, with where each counts in the environments of the workspace, what took its place, and what is wrong with broken ones.',
    responses: { 200: ok(z.array(PolicyListed), 'All policies, by name') },
  },
  async (c) => c.json((await listPolicies(c.get('ctx'))).map(defined), 200),
)
