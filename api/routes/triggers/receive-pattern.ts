import { z } from '@hono/zod-openapi'
import { PatternSignal } from '#core/trigger/start-schema.ts'
import { patternDelivery } from '#services/inbox/pattern-delivery.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { durably } from '../../durably.ts'
import { PatternResult, QueuedDelivery } from '../../schemas/triggers.ts'

export const receivePatternRoute = defineRoute(
  {
    operationId: 'receivePattern',
    method: 'post',
    path: '/triggers/pattern',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
    summary: 'Receive a pattern that was recognised elsewhere',
    description:
      'Starts the template it names, else that of the first rule with `on: pattern` that fits. While that run is active, the same pattern attaches to it.',
    request: { body: json(PatternSignal) },
    responses: { 202: ok(z.union([PatternResult, QueuedDelivery]), 'What became of it') },
    idempotent: true,
  },
  async (c) => c.json(await durably(c, patternDelivery), 202),
)
