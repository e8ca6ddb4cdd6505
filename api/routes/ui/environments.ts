import { z } from '@hono/zod-openapi'
import {
  AttachList,
  DeletedSetting,
  EnvironmentDraft,
  EnvironmentRecord,
  KnowledgeList,
} from '#core/environment-console-schema.ts'
import { attachKnowledge, attachPolicies } from '#services/settings/environment-bindings.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { createSetting, deleteSetting, getSetting, listSettings, updateSetting } from '#services/settings/settings.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { AuthoredParams, LOCATION, TOTAL } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const attachKnowledgeRoute = defineRoute(
  {
    operationId: 'attachKnowledge',
    method: 'put',
    path: '/ui/api/environments/{name}/knowledge',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Attach corpora to an environment: these, and no others',
    description:
      'Each must exist in some workspace; a workspace searches its own corpora of these names. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(KnowledgeList) },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { knowledge } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const changed = await attachKnowledge(ctx, { name: c.req.valid('param').name, if_match, knowledge })
    return c.json(changed, 200, { etag: changed.etag })
  },
)

export const attachPoliciesRoute = defineRoute(
  {
    operationId: 'attachPolicies',
    method: 'put',
    path: '/ui/api/environments/{name}/policies',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Attach policies of the console to an environment: these, and no others',
    description:
      'Each must be there in some workspace; in a workspace that has none of that name the gate is on. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(AttachList) },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { policies } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const changed = await attachPolicies(ctx, { name: c.req.valid('param').name, if_match, policies })
    return c.json(changed, 200, { etag: changed.etag })
  },
)

export const deleteEnvironmentRoute = defineRoute(
  {
    operationId: 'deleteEnvironment',
    method: 'delete',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Take back what the console says about an environment',
    description:
      'What its file says is in force again; one that stands in the console alone is gone, and nothing in it does more than read from then on.',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 200: ok(DeletedSetting, 'What is left of it') },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    return c.json(await deleteSetting(ctx, environmentKind(ctx), { name: c.req.valid('param').name, if_match }), 200)
  },
)

export const getEnvironmentRoute = defineRoute(
  {
    operationId: 'getEnvironment',
    method: 'get',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read an environment as it is in force, and in which layers something is said about it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const found = await getSetting(ctx, environmentKind(ctx), c.req.valid('param').name)
    return c.json(found, 200, { etag: found.etag })
  },
)

const ENVIRONMENT_EXAMPLE = `name: canary
class: staging
policies: [night-guard]
cost_gate: { max_usd: 0.5 }
approval: { min_approvals: 2, prevent_self: true }
`

export const createEnvironmentRoute = defineRoute(
  {
    operationId: 'createEnvironment',
    method: 'post',
    path: '/ui/api/environments',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Make an environment that stands in the console alone',
    description:
      'What is absent stays as its file says, or as it is shipped. Connections and egress stand in files alone. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { body: documentBody(EnvironmentDraft, ENVIRONMENT_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The environment, as it is in force',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: EnvironmentRecord } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const made = await createSetting(ctx, environmentKind(ctx), documentText(c))
    return c.json(made, 201, { location: `/ui/api/environments/${made.name}`, etag: made.etag })
  },
)

export const listEnvironmentsRoute = defineRoute(
  {
    operationId: 'listEnvironments',
    method: 'get',
    path: '/ui/api/environments',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List environments as they are in force, by name',
    description: 'Those that runs of the workspace may use; all of them for who may enter all workspaces.',
    responses: { 200: { ...ok(z.array(EnvironmentRecord), 'The environments'), headers: TOTAL } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const page = await listSettings(ctx, environmentKind(ctx))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

export const updateEnvironmentRoute = defineRoute(
  {
    operationId: 'updateEnvironment',
    method: 'put',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what an environment is, over its file',
    description:
      'What is absent stays as its file says, or as it is shipped. Connections and egress stand in files alone. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(EnvironmentDraft, ENVIRONMENT_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const changed = await updateSetting(ctx, environmentKind(ctx), { name, if_match, document: documentText(c) })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
