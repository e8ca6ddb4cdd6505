import { z } from '@hono/zod-openapi'
import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import {
  createConsoleTrigger,
  deleteConsoleTrigger,
  getConsoleTrigger,
  listConsoleTriggers,
  updateConsoleTrigger,
} from '#services/console-rules/console-triggers.ts'
import { documentAnswer, documentBody, documentText, MAX_DOCUMENT_BYTES, wantsYaml } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { AuthoredParams, LOCATION, TOTAL } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const deleteConsoleTriggerRoute = defineRoute(
  {
    operationId: 'deleteConsoleTrigger',
    method: 'delete',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a rule of the console',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 204: { description: 'It starts nothing any more' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    await deleteConsoleTrigger(ctx, { name: c.req.valid('param').name, if_match })
    return c.body(null, 204)
  },
)

export const getConsoleTriggerRoute = defineRoute(
  {
    operationId: 'getConsoleTrigger',
    method: 'get',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'Read a rule of the console, or with `Accept: text/yaml` its text alone',
    request: { params: AuthoredParams },
    responses: { 200: { ...documentAnswer(ConsoleRule, 'The rule'), headers: ETAG } },
  },
  async (c) => {
    const rule = await getConsoleTrigger({ ...c.get('ctx'), ...c.get('deps').authoring }, c.req.valid('param').name)
    const { document, etag } = rule
    if (wantsYaml(c)) return c.body(document, 200, { etag, 'content-type': 'text/yaml; charset=utf-8' })
    return c.json(rule, 200, { etag })
  },
)

const RULE_EXAMPLE = `name: checkout-down
on: alert
match: { service: checkout, severity: [critical] }
run: sre/service-recovery
inputs: { url: "http://checkout.internal:8080", service: "\${{ alert.service }}" }
`

export const createConsoleTriggerRoute = defineRoute(
  {
    operationId: 'createConsoleTrigger',
    method: 'post',
    path: '/ui/api/triggers',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Author a rule',
    description:
      'One entry of a rule file. Rules of the console are tried first, in the order of their names, then those of the files of the deployment, then those of packs; the first that fits starts its template. It is checked as `svc check` checks files, with all that it names. Every process follows within about a second.',
    request: { body: documentBody(RuleSpec, RULE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The rule',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ConsoleRule } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const rule = await createConsoleTrigger(ctx, documentText(c))
    return c.json(rule, 201, { location: `/ui/api/triggers/${rule.name}`, etag: rule.etag })
  },
)

export const listConsoleTriggersRoute = defineRoute(
  {
    operationId: 'listConsoleTriggers',
    method: 'get',
    path: '/ui/api/triggers',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'List the rules that were authored in the console, in the order in which they are tried',
    description: 'All of the workspace; there are at most 200.',
    responses: { 200: { ...ok(z.array(ConsoleRule), 'The rules'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listConsoleTriggers({ ...c.get('ctx'), ...c.get('deps').authoring })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

export const updateConsoleTriggerRoute = defineRoute(
  {
    operationId: 'updateConsoleTrigger',
    method: 'put',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Put another text in the place of a rule of the console',
    description: 'The name stays. Every process follows within about a second.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(RuleSpec, RULE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ConsoleRule, 'The rule'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const rule = await updateConsoleTrigger(ctx, { name, if_match, document: documentText(c) })
    return c.json(rule, 200, { etag: rule.etag })
  },
)
