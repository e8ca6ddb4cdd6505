import type { Route } from './define-route.ts'
import { expireGateRoute } from './routes/approvals/expire-gate.ts'
import { pendingApprovalRoute } from './routes/approvals/pending-approval.ts'
import { resumeRunRoute } from './routes/approvals/resume-run.ts'
import { getDocsAssetRoute, getDocsRoute } from './routes/meta/get-docs.ts'
import { getHealthRoute } from './routes/meta/get-health.ts'
import { getOpenapiRoute } from './routes/meta/get-openapi.ts'
import { getProblemRoute } from './routes/meta/get-problem.ts'
import { listPacksRoute } from './routes/packs/list-packs.ts'
import { runTemplateRoute } from './routes/packs/run-template.ts'
import { cancelRunRoute } from './routes/runs/cancel-run.ts'
import { downloadArtifactRoute } from './routes/runs/download-artifact.ts'
import { getReportRoute } from './routes/runs/get-report.ts'
import { getRunRoute } from './routes/runs/get-run.ts'
import { listArtifactsRoute } from './routes/runs/list-artifacts.ts'
import { listEventsRoute } from './routes/runs/list-events.ts'
import { listRunsRoute } from './routes/runs/list-runs.ts'
import { streamRunRoute } from './routes/runs/stream-run.ts'
import { receiveAlertsRoute } from './routes/triggers/receive-alerts.ts'

/** Every route there is. What is not in this list is not served. */
export const routes: readonly Route[] = [
  getHealthRoute,
  getOpenapiRoute,
  getDocsRoute,
  getDocsAssetRoute,
  getProblemRoute,
  listRunsRoute,
  getRunRoute,
  listEventsRoute,
  streamRunRoute,
  listArtifactsRoute,
  downloadArtifactRoute,
  getReportRoute,
  cancelRunRoute,
  pendingApprovalRoute,
  resumeRunRoute,
  expireGateRoute,
  listPacksRoute,
  runTemplateRoute,
  receiveAlertsRoute,
]
