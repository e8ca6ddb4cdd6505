import type { Route } from './define-route.ts'
import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from './routes/admin/api-keys.ts'
import { inviteUserRoute, listUsersRoute, setPasswordRoute, updateUserRoute } from './routes/admin/users.ts'
import { decideApprovalLinkRoute, showApprovalLinkRoute } from './routes/approvals/approval-links.ts'
import {
  dismissGatesRoute,
  expireGateRoute,
  listGatesRoute,
  pendingApprovalRoute,
  resumeRunRoute,
} from './routes/approvals/gates.ts'
import { askQuestionRoute, getAskThreadRoute } from './routes/ask/ask.ts'
import {
  addAnsweringAccountRoute,
  listAnsweringAccountsRoute,
  listDelegatesRoute,
  removeAnsweringAccountRoute,
} from './routes/auth/answering-accounts.ts'
import { getMeRoute, updateMeRoute } from './routes/auth/me.ts'
import { getAuthStatusRoute, issueTokenRoute, logOutRoute, signInRoute } from './routes/auth/sign-in.ts'
import { getAuditCheckpointRoute, listAuditRoute } from './routes/console/audit.ts'
import { listOperatorsRoute, listPipelineBundlesRoute, listSettingsRoute } from './routes/console/catalog.ts'
import { listChannelsRoute, testChannelRoute } from './routes/console/channels.ts'
import { configPresetRoutes, makeConfigPresetDefaultRoute } from './routes/console/config-presets.ts'
import { getConsoleFileRoute, getConsoleRoute } from './routes/console/get-console.ts'
import { liftHaltRoute, listHaltsRoute, setHaltRoute } from './routes/console/halts.ts'
import { inputPresetRoutes, makeInputPresetDefaultRoute } from './routes/console/input-presets.ts'
import { getGatewaySummaryRoute, listRegisteredModelsRoute, probeModelRoute } from './routes/console/models.ts'
import {
  explainPolicyRoute,
  listPoliciesRoute,
  rehearsePolicyRoute,
  resolvePlanRoute,
  simulatePoliciesRoute,
} from './routes/console/policies.ts'
import { closeSessionRoute, getSessionRoute, openSessionRoute } from './routes/console/sessions.ts'
import { getWorkflowConfigRoute, putWorkflowConfigRoute } from './routes/console/workflow-config.ts'
import { listDeliveriesRoute, listRunDeliveriesRoute } from './routes/deliveries/deliveries.ts'
import { answerMcpRoute } from './routes/mcp/answer-mcp.ts'
import { getDocsAssetRoute, getDocsRoute, getOpenapiRoute, getProblemRoute } from './routes/meta/docs.ts'
import { getHealthRoute, getMetricsRoute, getRootRoute } from './routes/meta/health.ts'
import { createChatCompletionRoute, listModelsRoute } from './routes/models/models.ts'
import {
  getContractRoute,
  getGraphRoute,
  listPacksRoute,
  preflightRoute,
  runTemplateRoute,
  validateInputsRoute,
} from './routes/packs/packs.ts'
import { advancePipelineStepRoute, approvePipelineStepRoute } from './routes/pipelines/pipeline-steps.ts'
import {
  cancelPipelineRoute,
  getPipelineConfigRoute,
  getPipelineRoute,
  listPipelineEventsRoute,
  listPipelinesRoute,
  runPipelineRoute,
  streamPipelineRoute,
} from './routes/pipelines/pipelines.ts'
import {
  downloadArtifactRoute,
  getLineageRoute,
  getReportRoute,
  listArtifactsRoute,
} from './routes/runs/run-results.ts'
import { getStepRoute, listStepsRoute } from './routes/runs/run-steps.ts'
import { cancelRunRoute, getRunRoute, listEventsRoute, listRunsRoute, streamRunRoute } from './routes/runs/runs.ts'
import { listInboxRoute, postInboxRoute, replayInboxRoute } from './routes/triggers/inbox.ts'
import { listSignedDeliveriesRoute, receiveIngressRoute } from './routes/triggers/ingress.ts'
import { receiveAlertsRoute } from './routes/triggers/receive-alerts.ts'
import { receiveSlackRoute } from './routes/triggers/receive-slack.ts'
import {
  createScheduleRoute,
  deleteScheduleRoute,
  listFiresRoute,
  listSchedulesRoute,
  previewScheduleRoute,
  updateScheduleRoute,
} from './routes/triggers/schedules.ts'
import {
  listSkillsRoute,
  listStartersRoute,
  receivePatternRoute,
  startManuallyRoute,
} from './routes/triggers/triggers.ts'
import { consolePolicyRoutes } from './routes/ui/console-policies.ts'
import { consoleTriggerRoutes } from './routes/ui/console-triggers.ts'
import {
  createCorpusRoute,
  deleteCorpusRoute,
  getCorpusRoute,
  getPassageRoute,
  indexCorpusRoute,
  listCorporaRoute,
  queryCorpusRoute,
} from './routes/ui/corpora.ts'
import { attachKnowledgeRoute, attachPoliciesRoute, environmentRoutes } from './routes/ui/environments.ts'
import { getModelCatalogRoute, getModelRolesRoute, putModelRolesRoute } from './routes/ui/models.ts'
import { getProfileFormRoute, profileRoutes, putProfileFormRoute } from './routes/ui/profiles.ts'
import {
  archiveWorkspaceRoute,
  createWorkspaceRoute,
  listWorkspacesRoute,
  updateWorkspaceRoute,
} from './routes/workspaces/workspaces.ts'

/** Every route of the API. Other paths are not served. */
export const routes: readonly Route[] = [
  getRootRoute,
  getHealthRoute,
  getMetricsRoute,
  getOpenapiRoute,
  getDocsRoute,
  getDocsAssetRoute,
  getProblemRoute,
  issueTokenRoute,
  signInRoute,
  getAuthStatusRoute,
  getMeRoute,
  updateMeRoute,
  addAnsweringAccountRoute,
  removeAnsweringAccountRoute,
  listDelegatesRoute,
  listAnsweringAccountsRoute,
  logOutRoute,
  inviteUserRoute,
  listUsersRoute,
  updateUserRoute,
  setPasswordRoute,
  createApiKeyRoute,
  listApiKeysRoute,
  revokeApiKeyRoute,
  listRunsRoute,
  getRunRoute,
  listEventsRoute,
  streamRunRoute,
  listArtifactsRoute,
  listStepsRoute,
  getStepRoute,
  downloadArtifactRoute,
  getReportRoute,
  getLineageRoute,
  listRunDeliveriesRoute,
  listDeliveriesRoute,
  cancelRunRoute,
  listGatesRoute,
  pendingApprovalRoute,
  resumeRunRoute,
  expireGateRoute,
  showApprovalLinkRoute,
  decideApprovalLinkRoute,
  dismissGatesRoute,
  listPacksRoute,
  runTemplateRoute,
  getContractRoute,
  getGraphRoute,
  validateInputsRoute,
  preflightRoute,
  receiveAlertsRoute,
  receivePatternRoute,
  startManuallyRoute,
  receiveSlackRoute,
  receiveIngressRoute,
  listSchedulesRoute,
  previewScheduleRoute,
  listFiresRoute,
  listStartersRoute,
  listSignedDeliveriesRoute,
  listSkillsRoute,
  createScheduleRoute,
  updateScheduleRoute,
  deleteScheduleRoute,
  listInboxRoute,
  postInboxRoute,
  replayInboxRoute,
  createChatCompletionRoute,
  listModelsRoute,
  listRegisteredModelsRoute,
  probeModelRoute,
  getGatewaySummaryRoute,
  getModelCatalogRoute,
  getModelRolesRoute,
  putModelRolesRoute,
  listWorkspacesRoute,
  createWorkspaceRoute,
  updateWorkspaceRoute,
  archiveWorkspaceRoute,
  listChannelsRoute,
  testChannelRoute,
  listSettingsRoute,
  listHaltsRoute,
  setHaltRoute,
  liftHaltRoute,
  listOperatorsRoute,
  listAuditRoute,
  getAuditCheckpointRoute,
  listPoliciesRoute,
  explainPolicyRoute,
  listPipelineBundlesRoute,
  runPipelineRoute,
  listPipelinesRoute,
  getPipelineRoute,
  getPipelineConfigRoute,
  listPipelineEventsRoute,
  streamPipelineRoute,
  advancePipelineStepRoute,
  approvePipelineStepRoute,
  cancelPipelineRoute,
  simulatePoliciesRoute,
  rehearsePolicyRoute,
  getWorkflowConfigRoute,
  putWorkflowConfigRoute,
  ...configPresetRoutes,
  makeConfigPresetDefaultRoute,
  ...inputPresetRoutes,
  makeInputPresetDefaultRoute,
  ...consolePolicyRoutes,
  ...consoleTriggerRoutes,
  ...environmentRoutes,
  attachPoliciesRoute,
  attachKnowledgeRoute,
  listCorporaRoute,
  createCorpusRoute,
  getCorpusRoute,
  getPassageRoute,
  deleteCorpusRoute,
  indexCorpusRoute,
  queryCorpusRoute,
  ...profileRoutes,
  getProfileFormRoute,
  putProfileFormRoute,
  askQuestionRoute,
  getAskThreadRoute,
  resolvePlanRoute,
  answerMcpRoute,
  getSessionRoute,
  openSessionRoute,
  closeSessionRoute,
  getConsoleRoute,
  // last: it takes every path below /console that no other route has
  getConsoleFileRoute,
]
