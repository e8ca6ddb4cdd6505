import { z } from '@hono/zod-openapi'
import { defined } from '#core/json/json.ts'
import { RISKS } from '#core/policy/types.ts'
import {
  ApprovalDecision,
  ApprovalOutcome,
  BulkDismissal,
  DismissalOutcome,
  GateDismissal,
  PendingApproval,
} from '#core/run/approval-schema.ts'
import { GateComment, GateRemarks } from '#core/run/remark-schema.ts'
import { Run } from '#core/run/schema.ts'
import { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import { resumeRun } from '#services/approvals/decide-gate.ts'
import { dismissGates } from '#services/approvals/dismiss-gates.ts'
import { expireGate } from '#services/approvals/expire-gate.ts'
import { listGates } from '#services/approvals/list-gates.ts'
import { pendingApproval } from '#services/approvals/pending-approval.ts'
import { acknowledgeGate, commentOnGate } from '#services/approvals/remark-on-gate.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { GateParams, RunParams } from '../../schemas/params.ts'
import { runSearch, templateAsked } from '../../schemas/run-search.ts'

export const dismissGatesRoute = defineRoute(
  {
    operationId: 'dismissGates',
    method: 'post',
    path: '/approvals/dismiss',
    tags: ['approvals'],
    verb: dismissGates,
    summary: 'Dismiss stale gates, many at once',
    description:
      'With `dry_run` it only says which runs it would end, and answers a `token`; sent along with the real call, the token makes sure that the same gates are meant. At most 500 gates a call, oldest first.',
    request: { body: json(BulkDismissal) },
    responses: { 200: ok(DismissalOutcome, 'What was dismissed, and what was not') },
    problems: ['plan_changed'],
    idempotent: true,
  },
  async (c) => {
    const { reason, ...rest } = c.req.valid('json')
    return c.json(await dismissGates(c.get('ctx'), { reason, ...defined(rest) }), 200)
  },
)

export const expireGateRoute = defineRoute(
  {
    operationId: 'expireGate',
    method: 'post',
    path: '/runs/{id}/expire',
    tags: ['approvals'],
    verb: expireGate,
    only_ends: true,
    summary: 'Dismiss one stale gate',
    description: 'The run ends as `expired` with the reason `dismissed`; no step of the plan runs.',
    request: { params: RunParams, body: json(GateDismissal) },
    responses: { 200: ok(Run, 'The run') },
    problems: ['run_not_awaiting', 'gate_resolved'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    await expireGate(c.get('ctx'), { run_id: id, ...c.req.valid('json') })
    return c.json(await getRun(c.get('ctx'), id), 200)
  },
)

export const resumeRunRoute = defineRoute(
  {
    operationId: 'resumeRun',
    method: 'post',
    path: '/runs/{id}/resume',
    tags: ['approvals'],
    verb: resumeRun,
    summary: 'Decide a parked gate',
    request: { params: RunParams, body: json(ApprovalDecision) },
    responses: { 200: ok(ApprovalOutcome, 'What the decision led to') },
    problems: [
      'run_not_awaiting',
      'gate_resolved',
      'plan_changed',
      'approver_not_allowed',
      'self_approval',
      'frozen',
      'note_required',
      'plan_hash_required',
    ],
    required: { decision: 'decision_required' },
    idempotent: true,
  },
  async (c) => {
    const { decision, ...rest } = c.req.valid('json')
    const outcome = await resumeRun(c.get('ctx'), {
      run_id: c.req.valid('param').id,
      kind: decision,
      ...defined(rest),
    })
    return c.json(outcome, 200)
  },
)

export const pendingApprovalRoute = defineRoute(
  {
    operationId: 'pendingApproval',
    method: 'get',
    path: '/runs/{id}/pending-approval',
    tags: ['approvals'],
    access: 'read',
    auth: 'user',
    summary: 'Read exactly what is being approved',
    request: { params: RunParams },
    responses: { 200: ok(PendingApproval, 'The open gate') },
    problems: ['run_not_awaiting'],
  },
  async (c) => c.json(await pendingApproval(c.get('ctx'), c.req.valid('param').id), 200),
)

export const acknowledgeGateRoute = defineRoute(
  {
    operationId: 'acknowledgeGate',
    method: 'post',
    path: '/approvals/{id}/acknowledge',
    tags: ['approvals'],
    verb: acknowledgeGate,
    summary: 'Acknowledge a gate',
    description:
      'Says that the caller is looking at an open gate. Others see it in `GET /approvals` and `GET /runs/{id}/pending-approval`. It is no vote, keeps nobody from answering, and is recorded once a person. Only people acknowledge.',
    request: { params: GateParams },
    responses: { 200: ok(GateRemarks, 'Who looks at it, and the comments on it') },
    problems: ['gate_resolved', 'conflict'],
    idempotent: true,
  },
  async (c) => c.json(await acknowledgeGate(c.get('ctx'), { gate_id: c.req.valid('param').id }), 200),
)

export const commentOnGateRoute = defineRoute(
  {
    operationId: 'commentOnGate',
    method: 'post',
    path: '/approvals/{id}/comments',
    tags: ['approvals'],
    verb: commentOnGate,
    summary: 'Comment on a gate',
    description:
      'The comment is shown in `GET /runs/{id}/pending-approval` and kept on the audit record. It is no vote; the note of a decision is sent with the decision. A gate takes at most 200.',
    request: { params: GateParams, body: json(GateComment) },
    responses: { 200: ok(GateRemarks, 'Who looks at it, and the comments on it') },
    problems: ['gate_resolved', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    return c.json(await commentOnGate(c.get('ctx'), { gate_id: id, ...c.req.valid('json') }), 200)
  },
)

const { awaiting_me, environment, pack, template, q } = runSearch

export const listGatesRoute = defineRoute(
  {
    operationId: 'listGates',
    method: 'get',
    path: '/approvals',
    tags: ['approvals'],
    access: 'read',
    auth: 'user',
    summary: 'List what waits for an answer, the most urgent in front',
    description:
      'The queue of gates: a line of each, and which answers would be taken from you. Those of critical alerts come first, then those of high ones, and what expires first among these. With `awaiting_me` a request looks through a thousand gates: a page may be short, or empty, while `Link` names the next one.',
    request: {
      query: z.object({
        awaiting_me: awaiting_me.meta({
          description: 'Only gates that you may approve now, and whose approval by you is still missing',
        }),
        risk: z.enum(RISKS).optional().meta({ description: 'Risk of the gated step', example: 'high' }),
        environment,
        pack,
        template,
        q: q.meta({
          description:
            'Text in the id of the gate or its run, the template, the reason (of an alert its title), the fingerprint, the environment, the summary of the plan, what the steps before have found or the name of the requester; upper and lower case are equal',
        }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(WaitingGate, 'gates') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { awaiting_me: mine, template: name, ...query } = c.req.valid('query')
    const asked = { ...query, ...templateAsked(query.pack, name), awaiting_me: mine === 'true' }
    const page = await listGates(c.get('ctx'), asked)
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
