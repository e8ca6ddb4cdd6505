import { ClaimShapes } from '#core/gate/command-schema.ts'
import { PIPELINE_WORKFLOW, type PipelineActivities, type PipelineClaim } from '#core/pipeline/contract.ts'
import { REMOTE_JOB_WORKFLOW, type RemoteJobActivities, type RemoteJobClaim } from '#core/remote-job/contract.ts'
import {
  type FireScheduleInput,
  firingWorkflowIdAt,
  SCHEDULE_FIRING_WORKFLOW,
  type ScheduleActivities,
} from '#core/schedule/contract.ts'
import { advancePipeline } from '#services/pipelines/advance-pipeline.ts'
import type { AdvanceDeps } from '#services/pipelines/ports.ts'
import { type RemoteJobDeps, recordRemoteJob, startRemoteJob } from '#services/remote-jobs/record-remote-job.ts'
import { type FireDeps, fireSchedule } from '#services/schedules/fire-schedule.ts'
import { onClaim } from './on-claim.ts'

/** Activities of a pipeline's workflow. */
export function createPipelineActivities(deps: AdvanceDeps): PipelineActivities {
  return {
    advancePipeline: onClaim(deps.claims, ClaimShapes.advancePipeline, ownPipeline, (claim) =>
      advancePipeline(deps, claim),
    ),
  }
}

/** A pipeline is spoken for by the workflow of its name. */
const ownPipeline = ({ pipeline_id }: PipelineClaim) => ({ workflow_id: pipeline_id, type: PIPELINE_WORKFLOW })

/** Activities of a remote job's workflow. */
export function createRemoteJobActivities(deps: RemoteJobDeps): RemoteJobActivities {
  return {
    startRemoteJob: onClaim(deps, ClaimShapes.startRemoteJob, ownJob, (...claim) => startRemoteJob(deps, ...claim)),
    recordRemoteJob: onClaim(deps, ClaimShapes.recordRemoteJob, ownJob, (...claim) => recordRemoteJob(deps, ...claim)),
  }
}

/** A remote job is spoken for by the workflow of its name. */
const ownJob = ({ job_id }: RemoteJobClaim) => ({ workflow_id: job_id, type: REMOTE_JOB_WORKFLOW })

/** Activities of the firing workflow. */
export function createScheduleActivities(deps: FireDeps): ScheduleActivities {
  return {
    fireSchedule: onClaim(deps.claims, ClaimShapes.fireSchedule, ownFiring, (input) => fireSchedule(deps, input)),
  }
}

/** A time of a schedule is spoken for by the firing of exactly that time. */
const ownFiring = ({ schedule_id, nominal_at }: FireScheduleInput) => ({
  workflow_id: firingWorkflowIdAt(schedule_id, Date.parse(nominal_at)),
  type: SCHEDULE_FIRING_WORKFLOW,
})
