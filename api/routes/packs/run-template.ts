import { runIdOfDelivery } from '#core/inbox/item.ts'
import { Run } from '#core/run/schema.ts'
import { RunRequest } from '#core/run/start-schema.ts'
import { originOfStart } from '#services/ask/origin-of-start.ts'
import { admitRun } from '#services/runs/admit-run.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, json, MAX_INPUTS_BYTES } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { TemplateParams } from '../../schemas/params.ts'

export const runTemplateRoute = defineRoute(
  {
    operationId: 'runTemplate',
    method: 'post',
    path: '/packs/{pack}/{tpl}/run',
    tags: ['packs'],
    access: 'write',
    auth: 'operator',
    summary: 'Run a template',
    description: 'Answers as soon as the run is on record. Follow it under `links.stream`.',
    request: { params: TemplateParams, body: json(RunRequest) },
    responses: {
      202: {
        description: 'The run, queued',
        headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
        content: { 'application/json': { schema: Run } },
      },
    },
    problems: ['policy_denied', 'frozen', 'halted', 'plan_changed', 'not_configured'],
    max_body_bytes: MAX_INPUTS_BYTES,
    idempotent: true,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const { ask, ...request } = c.req.valid('json')
    const { attempt } = c.get('ctx')
    const wish = { ...request, run_id: attempt && runIdOfDelivery(attempt.id), pack, template: tpl }
    const asked = { ...c.get('ctx'), ask: c.get('deps').ask.ports }
    const origin = ask === undefined ? { trigger: { type: 'direct' } } : await originOfStart(asked, ask, wish)
    const admission = { ...wish, ...origin }
    const { run_id } = await admitRun(c.get('ctx'), defined(admission))
    c.header('Location', `/runs/${run_id}`)
    return c.json(await getRun(c.get('ctx'), run_id), 202)
  },
)
