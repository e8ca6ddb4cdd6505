import {
  AttachList,
  BackendsEdit,
  DeletedSetting,
  EnvironmentDraft,
  EnvironmentRecord,
  KnowledgeList,
} from '#core/environment/console-schema.ts'
import { attachKnowledge, attachPolicies, environments, setBackends } from '#services/authored/environments.ts'
import { authoredRoutes, documentDraft } from '../../authored-routes.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { AuthoredParams, ETAG, IfMatch } from '../../schemas/params.ts'

const ENVIRONMENT_EXAMPLE = `name: canary
class: staging
policies: [night-guard]
cost_gate: { max_usd: 0.5 }
approval: { min_approvals: 2, prevent_self: true }
`

export const environmentRoutes = authoredRoutes({
  verbs: environments,
  names: ['Environment', 'Environments'],
  path: '/ui/api/environments',
  params: AuthoredParams,
  key: 'name',
  tags: ['authoring'],
  record: EnvironmentRecord,
  draft: documentDraft(EnvironmentDraft, ENVIRONMENT_EXAMPLE),
  edit: { method: 'put', ...documentDraft(EnvironmentDraft, ENVIRONMENT_EXAMPLE) },
  left: DeletedSetting,
  list: {
    summary: 'List environments as they are in force, by name',
    description:
      'Those that runs of the workspace may use; all of them for who may enter all workspaces, who read by `granted` which these are.',
    answer: 'The environments',
  },
  create: {
    summary: 'Make an environment in the console alone',
    description:
      'An absent field keeps the value of the file, or the shipped one. Egress, and the secrets of connections, are set in files only; `connection:<name>` refers to a connection of the console. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    answer: 'The environment, as it is in force',
    problems: ['conflict'],
  },
  get: {
    summary: 'Read an environment as it is in force, and the layers that set it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    answer: 'The environment',
    problems: ['conflict'],
  },
  update: {
    summary: 'Say in the console what an environment is, over its file',
    description:
      'An absent field keeps the value of the file, or the shipped one. Egress, and the secrets of connections, are set in files only; `connection:<name>` refers to a connection of the console. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    answer: 'The environment, as it is in force',
    problems: ['version_conflict', 'conflict'],
  },
  delete: {
    summary: 'Take back what the console says about an environment',
    description: 'Its file is in force again; one without a file is deleted, and runs in it only read from then on.',
    answer: 'What is left of it',
    problems: ['version_conflict', 'conflict'],
  },
})

export const attachKnowledgeRoute = defineRoute(
  {
    operationId: 'attachKnowledge',
    method: 'put',
    path: '/ui/api/environments/{name}/knowledge',
    tags: ['authoring'],
    verb: attachKnowledge,
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

export const setBackendsRoute = defineRoute(
  {
    operationId: 'setBackends',
    method: 'put',
    path: '/ui/api/environments/{name}/backends',
    tags: ['authoring'],
    verb: setBackends,
    summary: 'Say where an environment keeps the artifacts of its runs',
    description:
      '`fs` keeps them in the database of the service, `s3` in the bucket of a connection of the console. It counts for artifacts from now on; those that are there stay where they are, and are read there. What else the console says about the environment stays as it is. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(BackendsEdit) },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const backends = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const changed = await setBackends(ctx, { name: c.req.valid('param').name, if_match, backends })
    return c.json(changed, 200, { etag: changed.etag })
  },
)

export const attachPoliciesRoute = defineRoute(
  {
    operationId: 'attachPolicies',
    method: 'put',
    path: '/ui/api/environments/{name}/policies',
    tags: ['authoring'],
    verb: attachPolicies,
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
