import { z } from '@hono/zod-openapi'
import { ConsolePolicy, DeletedPolicy } from '#core/policy/console-schema.ts'
import { PolicyDocument } from '#core/policy/schema.ts'
import {
  createConsolePolicy,
  deleteConsolePolicy,
  getConsolePolicy,
  listConsolePolicies,
  updateConsolePolicy,
} from '#services/console-policies/console-policies.ts'
import { documentAnswer, documentBody, documentText, MAX_DOCUMENT_BYTES, wantsYaml } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { AuthoredParams, LOCATION, TOTAL } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const deleteConsolePolicyRoute = defineRoute(
  {
    operationId: 'deleteConsolePolicy',
    method: 'delete',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a policy of the console',
    description: 'In an environment that attaches it still, the gate is on until it is detached or there again.',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 200: ok(DeletedPolicy, 'What it leaves behind') },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    return c.json(await deleteConsolePolicy(ctx, { name: c.req.valid('param').name, if_match }), 200)
  },
)

export const getConsolePolicyRoute = defineRoute(
  {
    operationId: 'getConsolePolicy',
    method: 'get',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'Read a policy of the console, or with `Accept: text/yaml` its text alone',
    request: { params: AuthoredParams },
    responses: { 200: { ...documentAnswer(ConsolePolicy, 'The policy'), headers: ETAG } },
  },
  async (c) => {
    const policy = await getConsolePolicy({ ...c.get('ctx'), ...c.get('deps').authoring }, c.req.valid('param').name)
    const { document, etag } = policy
    if (wantsYaml(c)) return c.body(document, 200, { etag, 'content-type': 'text/yaml; charset=utf-8' })
    return c.json(policy, 200, { etag })
  },
)

const POLICY_EXAMPLE = `name: night-guard
applies_to: { environments: [production], action_types: [service.restart] }
rules:
  - { effect: require_hitl, approval_role: dba, reason: Nobody restarts at night alone. }
`

export const createConsolePolicyRoute = defineRoute(
  {
    operationId: 'createConsolePolicy',
    method: 'post',
    path: '/ui/api/policies',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Author a policy',
    description:
      'It has an effect where an environment attaches it by name (`PUT /ui/api/environments/{name}/policies`). It is checked as `svc check` checks files: what is wrong is refused with line, column and the name that was likely meant. `loosens` says whether something may be laxer with it than without, taken as attached.',
    request: { body: documentBody(PolicyDocument, POLICY_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The policy',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ConsolePolicy } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const policy = await createConsolePolicy(ctx, documentText(c))
    return c.json(policy, 201, { location: `/ui/api/policies/${policy.name}`, etag: policy.etag })
  },
)

export const listConsolePoliciesRoute = defineRoute(
  {
    operationId: 'listConsolePolicies',
    method: 'get',
    path: '/ui/api/policies',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'List the policies that were authored in the console, by name',
    description: 'All of the workspace; there are at most 200.',
    responses: { 200: { ...ok(z.array(ConsolePolicy), 'The policies'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listConsolePolicies({ ...c.get('ctx'), ...c.get('deps').authoring })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

export const updateConsolePolicyRoute = defineRoute(
  {
    operationId: 'updateConsolePolicy',
    method: 'put',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Put another text in the place of a policy of the console',
    description:
      'The name stays. Every process judges by the new text within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(PolicyDocument, POLICY_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ConsolePolicy, 'The policy'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const policy = await updateConsolePolicy(ctx, { name, if_match, document: documentText(c) })
    return c.json(policy, 200, { etag: policy.etag })
  },
)
