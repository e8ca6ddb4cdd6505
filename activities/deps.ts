import type { AuditLine } from '#core/audit/types.ts'
import type { Lane } from '#core/contract.ts'
import type { Environment, Profile } from '#core/environment/environment.ts'
import type { Json } from '#core/json/json.ts'
import type { Log } from '#core/log.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { CommitmentOf } from '#core/secret/redact-input.ts'
import type { Clock } from '#core/time/time.ts'
import type { RemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import type { OpenedConnection } from '#services/connections/open-connection.ts'
import type { ModelPorts } from '#services/models/model-ports.ts'
import type { ArtifactObjects } from '#services/runs/artifact-objects.ts'
import type { WorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import type { LaneSlots } from '#store/lane-slots.ts'
import type { PlanStore } from '#store/plans.ts'
import type { RemoteJobs } from '#store/runs/remote-jobs.ts'
import type { RunStore } from '#store/runs/runs.ts'

/** Named points around the operator at which a test may kill the process. */
export type FaultPoint =
  | 'before_open'
  | 'before_operator'
  | 'after_operator'
  | 'after_artifacts'
  | 'after_settle'
  | 'after_park'
  | 'after_close'

/** Everything an activity needs, built once in the worker's main. */
export interface ActivityDeps extends RecordDeps {
  runs: RunStore
  plans: PlanStore
  policies: PolicySource
  environments: { get(name: string): Environment | undefined; profile(name: string): Profile }
  operators: OperatorCatalog
  workspaces: Pick<WorkspaceDirectory, 'find'>
  /** how many executions this worker has at work in each lane */
  lanes: Record<Lane, number>
  /** for workspaces that limit how many of their operations run at once */
  slots: LaneSlots
  audit: AuditLine
  /** attempts that external workers are at */
  remote_jobs: Pick<RemoteJobs, 'ofAttempt'>
  remote: Pick<RemoteJobWorkflows, 'start'>
  /** for how long something takes: unlike the time of day, it never jumps */
  monotonic: Clock
  sha256: (text: string) => string
  /** opens secret inputs; absent without a master key */
  secrets?: {
    open(runId: string, sealed: string): Promise<Record<string, Json>>
    commitmentsIn(workspaceId: string): CommitmentOf
  }
  log: Pick<Log, 'info' | 'warn' | 'error'>
  /** resolves a connection of an environment, for runs of a workspace */
  connect(environment: Environment, id: string, workspaceId: string, tool?: string): Promise<OpenedConnection>
  /** what calls of models stand on; absent where none can be made */
  models?: ModelPorts
  /** content of artifacts, where the environment of a run keeps it in a bucket */
  objects: Pick<ArtifactObjects, 'put'>
  approval_ttl_ms: number
  /** `content`: what is worked on */
  fault(point: FaultPoint, content?: string): void
}

/** What a step sees of it: of the store, its record and how its run stands. */
export type StepDeps = Omit<ActivityDeps, 'runs' | 'decisions' | 'plans' | 'lanes' | 'slots' | 'open'> & {
  runs: Pick<RunStore, 'record' | 'askOpening' | 'artifactsNamed'>
  decisions: Pick<GateDecisions, 'runState'>
}
