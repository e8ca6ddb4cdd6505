import { z } from '@hono/zod-openapi'
import { Run } from '#core/run/schema.ts'
import { ManualTrigger } from '#core/trigger/start-schema.ts'
import { manualDelivery } from '#services/inbox/manual-delivery.ts'
import { startManually } from '#services/triggers/start-manually.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { durably } from '../../durably.ts'
import { QueuedDelivery, StartedRun } from '../../schemas/triggers.ts'

export const startManuallyRoute = defineRoute(
  {
    operationId: 'startManually',
    method: 'post',
    path: '/triggers/manual',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
    summary: 'Start a template by hand',
    description:
      'With `wait` the answer is the finished run when it ended in time. A run that waits at a gate is answered at once, as `awaiting_approval`. A start that is waited for runs in the `realtime` lane, others in `background` unless they come from the console.',
    request: { body: json(ManualTrigger) },
    responses: {
      200: ok(Run, 'The finished run; only with `wait`'),
      202: {
        ...ok(z.union([StartedRun, QueuedDelivery]), 'The run, under way'),
        headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
      },
    },
    problems: ['policy_denied', 'frozen', 'halted', 'plan_changed', 'not_configured'],
    max_body_bytes: MAX_INPUTS_BYTES,
    idempotent: true,
  },
  async (c) => {
    const { attempt } = c.get('ctx')
    const outcome = await startManually(c.get('ctx'), defined(c.req.valid('json')), {
      hub: c.get('deps').hub,
      signal: c.req.raw.signal,
      delivery_id: attempt?.id,
      deliver: () => durably(c, manualDelivery),
    })
    if ('run' in outcome) return c.json(outcome.run, 200)
    if ('run_id' in outcome) c.header('Location', `/runs/${outcome.run_id}`)
    return c.json(outcome, 202)
  },
)
