import type { OperatorCatalog } from '#core/operator.ts'
import type { PolicyLayerSource } from '#core/policy/layer.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import type { RemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import type { AuditViews } from '#store/audit/audit-views.ts'
import type { BudgetViews } from '#store/budget-views.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { ApprovalViews } from '#store/gates/approval-views.ts'
import type { StaleGates } from '#store/gates/stale-gates.ts'
import type { IdempotencyStore } from '#store/idempotency.ts'
import type { DeliveryRecords } from '#store/notices/delivery-records.ts'
import type { DeliveryViews } from '#store/notices/delivery-views.ts'
import type { PlanUsage } from '#store/plans.ts'
import type { ArtifactViews } from '#store/runs/artifact-views.ts'
import type { LineageViews } from '#store/runs/lineage-views.ts'
import type { RemoteJobViews } from '#store/runs/remote-jobs.ts'
import type { RunSearches } from '#store/runs/run-search.ts'
import type { RunViews } from '#store/runs/run-views.ts'
import type { SimilarRuns } from '#store/runs/similar-runs.ts'
import type { StepViews } from '#store/runs/step-views.ts'
import type { SkillViews } from '#store/skill-views.ts'
import type { WorkspaceStore } from '#store/workspaces.ts'
import type { PipelinePorts } from './pipelines/ports.ts'
import type { ArtifactObjects } from './runs/artifact-objects.ts'
import type { SchedulePorts } from './schedules/schedule-record.ts'

/** The dependencies of all reads. */
export interface ReadPorts extends PipelinePorts {
  operators: OperatorCatalog
  policyLayers: PolicyLayerSource
  budgets: BudgetViews
  views: RunViews
  searches: RunSearches
  steps: StepViews
  plan_usage: PlanUsage
  feed: EventFeed
  artifacts: ArtifactViews
  /** content of artifacts in buckets */
  objects: Pick<ArtifactObjects, 'read' | 'link'>
  /** attempts that external workers do; `engine` says how far they are */
  remote_jobs: { views: RemoteJobViews; engine?: Pick<RemoteJobWorkflows, 'pending' | 'pollers'> }
  approvals: ApprovalViews
  deliveries: DeliveryViews
  /** deliveries to signed webhooks */
  records: DeliveryRecords
  skills: Pick<SkillCatalogue, 'list'>
  skill_views: SkillViews
  audits: AuditViews
  lineages: LineageViews
  similar: SimilarRuns
  stale: StaleGates
  workspaces: WorkspaceStore
  schedules: SchedulePorts
}

/** First answers by `Idempotency-Key`. */
export type IdempotencyKeys = IdempotencyStore
