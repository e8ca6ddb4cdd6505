import {
  DeletedSetting,
  ProfileDraft,
  ProfileForm,
  ProfileFormEdit,
  ProfileRecord,
} from '#core/environment/console-schema.ts'
import { getProfileForm, putProfileForm } from '#services/authored/profile-form.ts'
import { profiles } from '#services/authored/profiles.ts'
import { authoredRoutes, documentDraft } from '../../authored-routes.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { AuthoredParams, ETAG, IfMatch } from '../../schemas/params.ts'

const PROFILE_EXAMPLE = `name: careful
requires_approval: [service.restart]
limits: { max_usd: 0.2 }
`

export const profileRoutes = authoredRoutes({
  verbs: profiles,
  names: ['Profile', 'Profiles'],
  path: '/ui/api/profiles',
  params: AuthoredParams,
  key: 'name',
  tags: ['authoring'],
  record: ProfileRecord,
  draft: documentDraft(ProfileDraft, PROFILE_EXAMPLE),
  edit: { method: 'put', ...documentDraft(ProfileDraft, PROFILE_EXAMPLE) },
  left: DeletedSetting,
  list: {
    summary: 'List profiles as they are in force, by name',
    description: 'All of the deployment.',
    answer: 'The profiles',
  },
  create: {
    summary: 'Make a profile in the console alone',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    answer: 'The profile, as it is in force',
    problems: ['conflict'],
  },
  get: {
    summary: 'Read a profile as it is in force, and the layers that set it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    answer: 'The profile',
    problems: ['conflict'],
  },
  update: {
    summary: 'Say in the console what a profile is, over its file',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    answer: 'The profile, as it is in force',
    problems: ['version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Take back what the console says about a profile',
    description: 'Its file is in force again; one without a file is deleted.',
    answer: 'What is left of it',
    problems: ['version_conflict', 'conflict'],
  },
})

export const putProfileFormRoute = defineRoute(
  {
    operationId: 'putProfileForm',
    method: 'put',
    path: '/ui/api/profiles/{name}/form',
    tags: ['authoring'],
    verb: putProfileForm,
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
