import { InputsAnswer } from '#core/plan/preflight-schema.ts'
import { RunRequest } from '#core/run/start-schema.ts'
import { checkInputs } from '#services/packs/check-inputs.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { TemplateParams } from '../../schemas/params.ts'

export const validateInputsRoute = defineRoute(
  {
    operationId: 'validateInputs',
    method: 'post',
    path: '/packs/{pack}/{tpl}/validate',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'Check inputs against a template',
    description:
      'Answers 200 also where they do not fit: `valid` says so, and `errors` where. They are checked over what the workspace has configured and the config preset, as a start is. Secrets are not sent back.',
    request: {
      params: TemplateParams,
      body: json(RunRequest.pick({ inputs: true, config_preset: true }).meta({ id: 'InputsQuestion' })),
    },
    responses: { 200: ok(InputsAnswer, 'Whether they fit') },
    max_body_bytes: MAX_INPUTS_BYTES,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    return c.json(await checkInputs(c.get('ctx'), { pack, template: tpl, ...c.req.valid('json') }), 200)
  },
)
