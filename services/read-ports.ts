import type { OperatorCatalog } from '#core/operator-catalog.ts'
import type { PolicyLayerSource } from '#core/policy/layer.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import type { ApprovalViews } from '#store/approval-views.ts'
import type { ArtifactViews } from '#store/artifact-views.ts'
import type { AuditViews } from '#store/audit-views.ts'
import type { BudgetViews } from '#store/budget-views.ts'
import type { DeliveryRecords } from '#store/delivery-records.ts'
import type { DeliveryViews } from '#store/delivery-views.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { IdempotencyStore } from '#store/idempotency.ts'
import type { LineageViews } from '#store/lineage-views.ts'
import type { PlanUsage } from '#store/plan-usage.ts'
import type { RunSearches } from '#store/run-search.ts'
import type { RunViews } from '#store/run-views.ts'
import type { SkillViews } from '#store/skill-views.ts'
import type { StaleGates } from '#store/stale-gates.ts'
import type { StepViews } from '#store/step-views.ts'
import type { WorkspaceStore } from '#store/workspaces.ts'
import type { PipelinePorts } from './pipelines/ports.ts'
import type { SchedulePorts } from './schedules/schedule-record.ts'

/** What the reads behind every surface stand on. */
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
  approvals: ApprovalViews
  deliveries: DeliveryViews
  /** deliveries to signed webhooks */
  records: DeliveryRecords
  skills: Pick<SkillCatalogue, 'list'>
  skill_views: SkillViews
  audits: AuditViews
  lineages: LineageViews
  stale: StaleGates
  workspaces: WorkspaceStore
  schedules: SchedulePorts
}

/** First answers by `Idempotency-Key`. */
export type IdempotencyKeys = IdempotencyStore
