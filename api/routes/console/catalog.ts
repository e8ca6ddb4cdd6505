import { z } from '@hono/zod-openapi'
import { SettingRecord } from '#core/config/setting-schema.ts'
import { PipelineBundle } from '#core/pipeline/schema.ts'
import { listSettings } from '#services/config/console-items.ts'
import { listOperators } from '#services/console/list-operators.ts'
import { listPipelineBundles } from '#services/pipelines/pipelines.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { OperatorShown } from '../../schemas/operators.ts'

export const listPipelineBundlesRoute = defineRoute(
  {
    operationId: 'listPipelineBundles',
    method: 'get',
    path: '/console/api/pipeline-bundles',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'List the bundles that pipelines can be started from',
    description: 'As they are on disk now, with what is wrong with those that cannot be started.',
    responses: { 200: ok(z.array(PipelineBundle), 'All bundles') },
  },
  (c) => c.json(listPipelineBundles(c.get('ctx')), 200),
)

export const listOperatorsRoute = defineRoute(
  {
    operationId: 'listOperators',
    method: 'get',
    path: '/console/api/operators',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the operators that steps are made of',
    description: 'Their governance facts and the schema of their input, sorted by id.',
    responses: { 200: ok(z.array(OperatorShown), 'Every operator of the deployment') },
  },
  async (c) => c.json(await listOperators(c.get('ctx')), 200),
)

export const listSettingsRoute = defineRoute(
  {
    operationId: 'listSettings',
    method: 'get',
    path: '/console/api/settings',
    tags: ['meta'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List the effective settings, with secrets hidden',
    description: 'Of the API that answers, as `svc config` prints them, for owners and admins of all workspaces.',
    responses: { 200: ok(z.array(SettingRecord), 'The settings') },
  },
  (c) => c.json(listSettings({ ...c.get('ctx'), ...c.get('deps').deployment }), 200),
)
