import { Preflight } from '#core/plan/preflight-schema.ts'
import { RunRequest } from '#core/run/start-schema.ts'
import { preflight } from '#services/packs/preflight.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { TemplateParams } from '../../schemas/params.ts'

const Question = RunRequest.pick({
  inputs: true,
  profile: true,
  config_preset: true,
  environment: true,
  sandbox: true,
  dry_run: true,
})

export const preflightRoute = defineRoute(
  {
    operationId: 'preflight',
    method: 'post',
    path: '/packs/{pack}/{tpl}/preflight',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'What a start would meet now',
    description:
      'Checks inputs, environment, connections, policies, freezes, halts, budgets and the caller with the code that admits runs. Starts nothing and writes nothing. Send `plan_hash` with the start: it is refused once the plan has changed.',
    request: { params: TemplateParams, body: json(Question.meta({ id: 'PreflightQuestion' })) },
    responses: { 200: ok(Preflight, 'The checks, and what is to be expected') },
    max_body_bytes: MAX_INPUTS_BYTES,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const ctx = { ...c.get('ctx'), directory: c.get('deps').workspaces }
    return c.json(await preflight(ctx, { pack, template: tpl, ...c.req.valid('json') }), 200)
  },
)
