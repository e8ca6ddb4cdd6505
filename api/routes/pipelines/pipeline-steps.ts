import { defined } from '#core/json/json.ts'
import { StepAdvanceRequest, StepDecisionRequest } from '#core/pipeline/request-schema.ts'
import { Pipeline } from '#core/pipeline/schema.ts'
import { ApprovalOutcome } from '#core/run/approval-schema.ts'
import { advancePipelineStep } from '#services/pipelines/advance-pipeline-step.ts'
import { approvePipelineStep } from '#services/pipelines/approve-pipeline-step.ts'
import { getPipeline } from '#services/pipelines/pipelines.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { PipelineStepParams } from '../../schemas/params.ts'

export const approvePipelineStepRoute = defineRoute(
  {
    operationId: 'approvePipelineStep',
    method: 'post',
    path: '/pipelines/{id}/steps/{step}/approve',
    tags: ['pipelines'],
    verb: approvePipelineStep,
    summary: 'Answer the gate of a step',
    description:
      'Answers the gate of a run of the step, with its quorum, roles and plan hash. An empty body approves. `gate_id` names the gate; without it the answer counts only for the first gate of the only run of a step, never for a `for_each`, a later gate or a compensation.',
    request: { params: PipelineStepParams, body: optionalJson(StepDecisionRequest) },
    responses: { 200: ok(ApprovalOutcome, 'What the decision led to') },
    problems: [
      'run_not_awaiting',
      'gate_resolved',
      'conflict',
      'plan_changed',
      'approver_not_allowed',
      'self_approval',
      'frozen',
      'note_required',
      'plan_hash_required',
    ],
    idempotent: true,
  },
  async (c) => {
    const { id, step } = c.req.valid('param')
    const { decision = 'approve', ...answer } = defined(c.req.valid('json') ?? {})
    const outcome = await approvePipelineStep(c.get('ctx'), { pipeline_id: id, step, decision, ...answer })
    return c.json(outcome, 200)
  },
)

export const advancePipelineStepRoute = defineRoute(
  {
    operationId: 'advancePipelineStep',
    method: 'post',
    path: '/pipelines/{id}/steps/{step}/advance',
    tags: ['pipelines'],
    verb: advancePipelineStep,
    summary: 'Let a step with a manual gate begin',
    description:
      'For steps with `gate: manual`. It approves nothing: while a run of the step waits for an approval, the answer is 409 `needs_approval`. The body may be omitted.',
    request: { params: PipelineStepParams, body: optionalJson(StepAdvanceRequest) },
    responses: { 202: ok(Pipeline, 'The pipeline; the step begins within a moment') },
    problems: ['needs_approval', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const { id, step } = c.req.valid('param')
    await advancePipelineStep(c.get('ctx'), { pipeline_id: id, step, ...defined(c.req.valid('json')) })
    return c.json(await getPipeline(c.get('ctx'), id), 202)
  },
)
