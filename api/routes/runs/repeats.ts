import { z } from '@hono/zod-openapi'
import { HaltRefusalId } from '#core/halt/refused-schema.ts'
import { defined } from '#core/json/json.ts'
import { Run } from '#core/run/schema.ts'
import { RunRequest } from '#core/run/start-schema.ts'
import { getRun } from '#services/runs/get-run.ts'
import { retryRun } from '#services/runs/retry-run.ts'
import { startAgain } from '#services/runs/start-again.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { LOCATION, RunParams } from '../../schemas/params.ts'

const Repeat = z
  .strictObject({
    reason: z.string().max(4_000).optional().meta({ description: 'Default: the reason of the first run' }),
    template_digest: RunRequest.shape.template_digest,
    refusal: HaltRefusalId.optional(),
  })
  .meta({
    id: 'RunRepeat',
    description: 'Why a run is repeated. Everything else is taken from the record of the first run.',
    example: { reason: 'The target is back' },
  })

export const startAgainRoute = defineRoute(
  {
    operationId: 'startAgain',
    method: 'post',
    path: '/runs/{id}/start-again',
    tags: ['runs'],
    verb: startAgain,
    summary: 'Start an ended run again',
    description:
      'A new run of the same template with the inputs, environment, profile and labels on record, from its first step. It is judged like any start, by what is in force now, in the name of the caller; whoever shaped the first run counts as a contributor. `provenance.again_of` names the first run, and `provenance.template_before` its template where that has changed since. Secret inputs are on no record: a run that had any answers 422 `validation_failed` with their names. The body may be left out.',
    request: { params: RunParams, body: optionalJson(Repeat) },
    responses: { 202: { ...ok(Run, 'The new run, queued'), headers: LOCATION } },
    problems: ['conflict', 'policy_denied', 'frozen', 'halted', 'plan_changed'],
    idempotent: true,
  },
  async (c) => {
    const { run_id } = await startAgain(c.get('ctx'), {
      run_id: c.req.valid('param').id,
      ...defined(c.req.valid('json')),
    })
    c.header('Location', `/runs/${run_id}`)
    return c.json(await getRun(c.get('ctx'), run_id), 202)
  },
)

export const retryRunRoute = defineRoute(
  {
    operationId: 'retryRun',
    method: 'post',
    path: '/runs/{id}/retry',
    tags: ['runs'],
    verb: retryRun,
    summary: 'Retry a failed run from the step that failed',
    description:
      'A new run of the same plan. The steps before the failed one are not executed again: it takes over their recorded outputs, which have to be those in the audit record, at no cost (`taken_over_from` of each, `provenance.taken_over`). The rest is judged and asked for like any start. Answers 409 `plan_changed` where the template has changed, and 409 `conflict` where the run did not fail, is a dry run or a run of a pipeline, has been retried already, or where it is not known how one of its steps ended. `provenance.retry_of` names the failed run. Secret inputs are on no record: 422 `validation_failed`. The body may be left out.',
    request: { params: RunParams, body: optionalJson(Repeat) },
    responses: { 202: { ...ok(Run, 'The new run, queued'), headers: LOCATION } },
    problems: ['conflict', 'policy_denied', 'frozen', 'halted', 'plan_changed', 'audit_unavailable'],
    idempotent: true,
  },
  async (c) => {
    const { run_id } = await retryRun(c.get('ctx'), {
      run_id: c.req.valid('param').id,
      ...defined(c.req.valid('json')),
    })
    c.header('Location', `/runs/${run_id}`)
    return c.json(await getRun(c.get('ctx'), run_id), 202)
  },
)
