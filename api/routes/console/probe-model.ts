import { ModelProbe, ModelProbeRequest } from '#core/models/registry-schema.ts'
import { probeModel } from '#services/models/probe-model.ts'
import { goneWith } from '../../chat-stream.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const probeModelRoute = defineRoute(
  {
    operationId: 'probeModel',
    method: 'post',
    path: '/console/api/models/probe',
    tags: ['models'],
    access: 'write',
    auth: 'operator',
    summary: 'Ask a model one tiny question, to see whether it answers',
    description:
      'A real call, whose answer has at most 16 tokens: judged by policy, reserved under every cap, charged, and on record; nothing is repeated. A model that cannot be asked or does not answer is a result (`ok: false`), not a refusal.',
    request: { body: json(ModelProbeRequest) },
    responses: { 200: ok(ModelProbe, 'What became of it') },
    problems: ['BudgetExceeded', 'policy_denied', 'needs_approval', 'frozen', 'halted'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    const { signal } = goneWith(c.req.raw.signal)
    return c.json(await probeModel(ctx, { model: c.req.valid('json').model, signal }), 200)
  },
)
