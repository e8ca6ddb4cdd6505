import { z } from '@hono/zod-openapi'
import { defined } from '#core/json/json.ts'
import { Run } from '#core/run/schema.ts'
import { SkillStarter } from '#core/skill/starter-schema.ts'
import { ManualTrigger, PatternSignal } from '#core/trigger/start-schema.ts'
import { Starters } from '#core/trigger/starters-schema.ts'
import { manualDelivery, patternDelivery } from '#services/inbox/inbox-route.ts'
import { listSkills } from '#services/skills/list-skills.ts'
import { listStarters } from '#services/triggers/list-starters.ts'
import { receivePattern } from '#services/triggers/receive-pattern.ts'
import { startManually } from '#services/triggers/start-manually.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { durably } from '../../durably.ts'
import { PatternResult, QueuedDelivery, StartedRun } from '../../schemas/triggers.ts'

export const receivePatternRoute = defineRoute(
  {
    operationId: 'receivePattern',
    method: 'post',
    path: '/triggers/pattern',
    tags: ['triggers'],
    verb: receivePattern,
    summary: 'Receive a pattern that was recognised elsewhere',
    description:
      'Starts the template it names, else that of the first rule with `on: pattern` that fits. While that run is active, the same pattern attaches to it.',
    request: { body: json(PatternSignal) },
    responses: { 202: ok(z.union([PatternResult, QueuedDelivery]), 'What became of it') },
    delivers: true,
    idempotent: true,
  },
  async (c) => c.json(await durably(c, patternDelivery), 202),
)

export const startManuallyRoute = defineRoute(
  {
    operationId: 'startManually',
    method: 'post',
    path: '/triggers/manual',
    tags: ['triggers'],
    verb: startManually,
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
    delivers: true,
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

export const listSkillsRoute = defineRoute(
  {
    operationId: 'listSkills',
    method: 'get',
    path: '/triggers/skills',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List the skills that start runs: what, when, in whose name, and what came of it last',
    description:
      'Valid ones that are not switched off. Those for an environment that the workspace may not use are left out; by the clock skills start runs in the default workspace alone.',
    responses: { 200: ok(z.array(SkillStarter), 'Skills, by id') },
  },
  async (c) => c.json(await listSkills(c.get('ctx')), 200),
)

export const listStartersRoute = defineRoute(
  {
    operationId: 'listStarters',
    method: 'get',
    path: '/triggers/starters',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List what starts runs when something arrives: rules of all layers, and signed ingress',
    description:
      'Rules are in the order in which they are tried; the first match starts its template. Those that name an environment which the workspace may not use are left out, as are broken ones. Of ingress only the scheme is shown, and nothing of its secrets.',
    responses: { 200: ok(Starters, 'Rules and ingress') },
  },
  async (c) => c.json(await listStarters(c.get('ctx')), 200),
)
