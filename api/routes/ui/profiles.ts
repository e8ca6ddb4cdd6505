import { z } from '@hono/zod-openapi'
import {
  DeletedSetting,
  ProfileDraft,
  ProfileForm,
  ProfileFormEdit,
  ProfileRecord,
} from '#core/environment-console-schema.ts'
import { getProfileForm, putProfileForm } from '#services/settings/profile-form.ts'
import { profileKind } from '#services/settings/profile-kind.ts'
import { createSetting, deleteSetting, getSetting, listSettings, updateSetting } from '#services/settings/settings.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { AuthoredParams, LOCATION, TOTAL } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const putProfileFormRoute = defineRoute(
  {
    operationId: 'putProfileForm',
    method: 'put',
    path: '/ui/api/profiles/{name}/form',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what a form of a profile says, over its file',
    description:
      'A field that is left out says nothing: what the file says stays. Comments of the text stay. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(ProfileFormEdit) },
    responses: { 200: { ...ok(ProfileForm, 'The form, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { values } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const form = await putProfileForm(ctx, { name: c.req.valid('param').name, if_match, values })
    return c.json(form, 200, { etag: form.etag })
  },
)

export const getProfileFormRoute = defineRoute(
  {
    operationId: 'getProfileForm',
    method: 'get',
    path: '/ui/api/profiles/{name}/form',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read a profile as a form shows it: the schema, what the console says, and what counts',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(ProfileForm, 'The form'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const form = await getProfileForm(ctx, c.req.valid('param').name)
    return c.json(form, 200, { etag: form.etag })
  },
)

export const deleteProfileRoute = defineRoute(
  {
    operationId: 'deleteProfile',
    method: 'delete',
    path: '/ui/api/profiles/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Take back what the console says about a profile',
    description: 'What its file says is in force again; one that stands in the console alone is gone.',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 200: ok(DeletedSetting, 'What is left of it') },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    return c.json(await deleteSetting(ctx, profileKind(ctx), { name: c.req.valid('param').name, if_match }), 200)
  },
)

export const getProfileRoute = defineRoute(
  {
    operationId: 'getProfile',
    method: 'get',
    path: '/ui/api/profiles/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read a profile as it is in force, and in which layers something is said about it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(ProfileRecord, 'The profile'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const found = await getSetting(ctx, profileKind(ctx), c.req.valid('param').name)
    return c.json(found, 200, { etag: found.etag })
  },
)

const PROFILE_EXAMPLE = `name: careful
requires_approval: [service.restart]
limits: { max_usd: 0.2 }
`

export const createProfileRoute = defineRoute(
  {
    operationId: 'createProfile',
    method: 'post',
    path: '/ui/api/profiles',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Make a profile that stands in the console alone',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { body: documentBody(ProfileDraft, PROFILE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The profile, as it is in force',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ProfileRecord } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const made = await createSetting(ctx, profileKind(ctx), documentText(c))
    return c.json(made, 201, { location: `/ui/api/profiles/${made.name}`, etag: made.etag })
  },
)

export const listProfilesRoute = defineRoute(
  {
    operationId: 'listProfiles',
    method: 'get',
    path: '/ui/api/profiles',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List profiles as they are in force, by name',
    description: 'All of the deployment.',
    responses: { 200: { ...ok(z.array(ProfileRecord), 'The profiles'), headers: TOTAL } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const page = await listSettings(ctx, profileKind(ctx))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

export const updateProfileRoute = defineRoute(
  {
    operationId: 'updateProfile',
    method: 'put',
    path: '/ui/api/profiles/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what a profile is, over its file',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(ProfileDraft, PROFILE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ProfileRecord, 'The profile, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const changed = await updateSetting(ctx, profileKind(ctx), { name, if_match, document: documentText(c) })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
