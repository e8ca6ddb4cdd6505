import { z } from '@hono/zod-openapi'
import { GatewaySummary, SUMMARY_WINDOWS } from '#core/models/gateway-summary-schema.ts'
import { ModelProbe, ModelProbeRequest, RegisteredModel } from '#core/models/registry-schema.ts'
import { getGatewaySummary } from '#services/models/get-gateway-summary.ts'
import { listRegisteredModels } from '#services/models/list-registered-models.ts'
import { probeModel } from '#services/models/probe-model.ts'
import { abortWith } from '../../chat-stream.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

const Time = z.iso.datetime({ offset: true })

export const getGatewaySummaryRoute = defineRoute(
  {
    operationId: 'getGatewaySummary',
    method: 'get',
    path: '/console/api/gateway/summary',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'What calls of models cost, by model, run, person and day, and what was refused',
    description:
      'Of this workspace. A window ends now; or say `from` and `to`, at most 92 days apart. At most 200,000 calls are added up, the newest; `complete` says whether those were all. Refusals appear some seconds after they happen.',
    request: {
      query: z.object({
        window: z
          .enum(SUMMARY_WINDOWS)
          .optional()
          .meta({ description: 'Default: `7d`, unless `from` or `to` is given', example: '7d' }),
        from: Time.optional().meta({ description: 'Calls since then', example: '2026-11-01T00:00:00Z' }),
        to: Time.optional().meta({ description: 'Calls before then', example: '2026-12-01T00:00:00Z' }),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(100)
          .default(20)
          .meta({ description: 'Entries by model, by run and by person, the dearest first' }),
      }),
    },
    responses: { 200: ok(GatewaySummary, 'The sums') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    return c.json(await getGatewaySummary(ctx, c.req.valid('query')), 200)
  },
)

export const probeModelRoute = defineRoute(
  {
    operationId: 'probeModel',
    method: 'post',
    path: '/console/api/models/probe',
    tags: ['models'],
    verb: probeModel,
    summary: 'Ask a model one tiny question, to see whether it answers',
    description:
      'A real call, whose answer has at most 16 tokens: judged by policy, reserved under every cap, charged, and recorded; nothing is retried. An unreachable or silent model is a result (`ok: false`), not an error.',
    request: { body: json(ModelProbeRequest) },
    responses: { 200: ok(ModelProbe, 'What became of it') },
    problems: ['BudgetExceeded', 'policy_denied', 'needs_approval', 'frozen', 'halted'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    const { signal } = abortWith(c.req.raw.signal)
    return c.json(await probeModel(ctx, { model: c.req.valid('json').model, signal }), 200)
  },
)

export const listRegisteredModelsRoute = defineRoute(
  {
    operationId: 'listRegisteredModels',
    method: 'get',
    path: '/console/api/models',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'List the models of the deployment, and why some of them are never called',
    description:
      'Those of `models.yaml`: provider, endpoint, whether the key resolves, prices, limits, roles and the last probe in this workspace. It says where a key is, and never the key.',
    responses: {
      200: ok(z.array(RegisteredModel), 'Every model, in the order of the file; empty where none is bound'),
    },
  },
  async (c) => c.json(await listRegisteredModels({ ...c.get('ctx'), ...c.get('deps').models }), 200),
)
