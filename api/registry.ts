import type { Route } from './define-route.ts'
import * as apiKeys from './routes/admin/api-keys.ts'
import * as users from './routes/admin/users.ts'
import * as approvalLinks from './routes/approvals/approval-links.ts'
import * as gates from './routes/approvals/gates.ts'
import * as ask from './routes/ask/ask.ts'
import * as answeringAccounts from './routes/auth/answering-accounts.ts'
import * as me from './routes/auth/me.ts'
import * as signIn from './routes/auth/sign-in.ts'
import * as audit from './routes/console/audit.ts'
import * as catalog from './routes/console/catalog.ts'
import * as channels from './routes/console/channels.ts'
import * as configPresets from './routes/console/config-presets.ts'
import * as getConsole from './routes/console/get-console.ts'
import * as halts from './routes/console/halts.ts'
import * as inputPresets from './routes/console/input-presets.ts'
import * as consoleModels from './routes/console/models.ts'
import * as policies from './routes/console/policies.ts'
import * as remoteJobs from './routes/console/remote-jobs.ts'
import * as sessions from './routes/console/sessions.ts'
import * as views from './routes/console/views.ts'
import * as workflowConfig from './routes/console/workflow-config.ts'
import * as deliveries from './routes/deliveries/deliveries.ts'
import * as answerMcp from './routes/mcp/answer-mcp.ts'
import * as docs from './routes/meta/docs.ts'
import * as health from './routes/meta/health.ts'
import * as models from './routes/models/models.ts'
import * as packs from './routes/packs/packs.ts'
import * as pipelineSteps from './routes/pipelines/pipeline-steps.ts'
import * as pipelines from './routes/pipelines/pipelines.ts'
import * as repeats from './routes/runs/repeats.ts'
import * as runResults from './routes/runs/run-results.ts'
import * as runSteps from './routes/runs/run-steps.ts'
import * as runs from './routes/runs/runs.ts'
import * as inbox from './routes/triggers/inbox.ts'
import * as ingress from './routes/triggers/ingress.ts'
import * as receiveAlerts from './routes/triggers/receive-alerts.ts'
import * as receiveSlack from './routes/triggers/receive-slack.ts'
import * as schedules from './routes/triggers/schedules.ts'
import * as triggers from './routes/triggers/triggers.ts'
import * as connectionTools from './routes/ui/connection-tools.ts'
import * as connections from './routes/ui/connections.ts'
import * as consolePolicies from './routes/ui/console-policies.ts'
import * as consoleTriggers from './routes/ui/console-triggers.ts'
import * as corpora from './routes/ui/corpora.ts'
import * as environments from './routes/ui/environments.ts'
import * as uiModels from './routes/ui/models.ts'
import * as profiles from './routes/ui/profiles.ts'
import * as workspaces from './routes/workspaces/workspaces.ts'

/** Every route of the API. Other paths are not served. */
export const routes: readonly Route[] = [
  health.getRootRoute,
  health.getHealthRoute,
  health.getMetricsRoute,
  docs.getOpenapiRoute,
  docs.getDocsRoute,
  docs.getDocsAssetRoute,
  docs.getProblemRoute,
  signIn.issueTokenRoute,
  signIn.getAuthStatusRoute,
  me.getMeRoute,
  me.updateMeRoute,
  answeringAccounts.addAnsweringAccountRoute,
  answeringAccounts.removeAnsweringAccountRoute,
  answeringAccounts.listDelegatesRoute,
  answeringAccounts.listAnsweringAccountsRoute,
  signIn.logOutRoute,
  users.inviteUserRoute,
  users.listUsersRoute,
  users.updateUserRoute,
  users.setPasswordRoute,
  apiKeys.createApiKeyRoute,
  apiKeys.listApiKeysRoute,
  apiKeys.revokeApiKeyRoute,
  runs.listRunsRoute,
  runs.getRunRoute,
  runs.listEventsRoute,
  runs.streamRunRoute,
  runResults.listArtifactsRoute,
  runSteps.listStepsRoute,
  runSteps.getStepRoute,
  runResults.downloadArtifactRoute,
  runResults.getReportRoute,
  runResults.getLineageRoute,
  runResults.getRunContextRoute,
  runResults.getRunEvidenceRoute,
  deliveries.listRunDeliveriesRoute,
  deliveries.listDeliveriesRoute,
  runs.cancelRunRoute,
  repeats.startAgainRoute,
  repeats.retryRunRoute,
  gates.listGatesRoute,
  gates.pendingApprovalRoute,
  gates.resumeRunRoute,
  gates.expireGateRoute,
  approvalLinks.showApprovalLinkRoute,
  approvalLinks.decideApprovalLinkRoute,
  gates.dismissGatesRoute,
  gates.acknowledgeGateRoute,
  gates.commentOnGateRoute,
  packs.listPacksRoute,
  packs.runTemplateRoute,
  packs.getContractRoute,
  packs.getGraphRoute,
  packs.validateInputsRoute,
  packs.preflightRoute,
  receiveAlerts.receiveAlertsRoute,
  triggers.receivePatternRoute,
  triggers.startManuallyRoute,
  receiveSlack.receiveSlackRoute,
  ingress.receiveIngressRoute,
  schedules.listSchedulesRoute,
  schedules.previewScheduleRoute,
  schedules.listFiresRoute,
  triggers.listStartersRoute,
  ingress.listSignedDeliveriesRoute,
  triggers.listSkillsRoute,
  schedules.createScheduleRoute,
  schedules.updateScheduleRoute,
  schedules.deleteScheduleRoute,
  inbox.listInboxRoute,
  inbox.postInboxRoute,
  inbox.replayInboxRoute,
  models.createChatCompletionRoute,
  models.listModelsRoute,
  consoleModels.listRegisteredModelsRoute,
  consoleModels.probeModelRoute,
  consoleModels.getGatewaySummaryRoute,
  uiModels.getModelCatalogRoute,
  uiModels.getModelRolesRoute,
  uiModels.putModelRolesRoute,
  workspaces.listWorkspacesRoute,
  workspaces.createWorkspaceRoute,
  workspaces.updateWorkspaceRoute,
  workspaces.archiveWorkspaceRoute,
  channels.listChannelsRoute,
  channels.testChannelRoute,
  catalog.listSettingsRoute,
  remoteJobs.listRemoteJobsRoute,
  remoteJobs.getRemoteJobRoute,
  halts.listHaltsRoute,
  halts.setHaltRoute,
  halts.liftHaltRoute,
  halts.listRefusedStartsRoute,
  catalog.listOperatorsRoute,
  audit.listAuditRoute,
  audit.getAuditCheckpointRoute,
  policies.listPoliciesRoute,
  policies.explainPolicyRoute,
  catalog.listPipelineBundlesRoute,
  pipelines.runPipelineRoute,
  pipelines.listPipelinesRoute,
  pipelines.getPipelineRoute,
  pipelines.getPipelineConfigRoute,
  pipelines.listPipelineEventsRoute,
  pipelines.streamPipelineRoute,
  pipelineSteps.advancePipelineStepRoute,
  pipelineSteps.approvePipelineStepRoute,
  pipelines.cancelPipelineRoute,
  policies.simulatePoliciesRoute,
  policies.rehearsePolicyRoute,
  workflowConfig.getWorkflowConfigRoute,
  workflowConfig.putWorkflowConfigRoute,
  ...configPresets.configPresetRoutes,
  configPresets.makeConfigPresetDefaultRoute,
  ...inputPresets.inputPresetRoutes,
  inputPresets.makeInputPresetDefaultRoute,
  views.listViewsRoute,
  views.saveViewRoute,
  views.deleteViewRoute,
  ...consolePolicies.consolePolicyRoutes,
  ...consoleTriggers.consoleTriggerRoutes,
  ...connections.connectionRoutes,
  connections.testConnectionRoute,
  connections.listConnectionKindsRoute,
  connectionTools.listConnectionToolsRoute,
  connectionTools.discoverConnectionToolsRoute,
  connectionTools.acceptConnectionToolRoute,
  connectionTools.withdrawConnectionToolRoute,
  connections.authorizeConnectionRoute,
  connections.completeAuthorizationRoute,
  connections.confirmAuthorizationRoute,
  ...environments.environmentRoutes,
  environments.attachPoliciesRoute,
  environments.attachKnowledgeRoute,
  environments.setBackendsRoute,
  corpora.listCorporaRoute,
  corpora.createCorpusRoute,
  corpora.getCorpusRoute,
  corpora.getPassageRoute,
  corpora.deleteCorpusRoute,
  corpora.indexCorpusRoute,
  corpora.queryCorpusRoute,
  ...profiles.profileRoutes,
  profiles.getProfileFormRoute,
  profiles.putProfileFormRoute,
  ask.askQuestionRoute,
  ask.getAskThreadRoute,
  policies.resolvePlanRoute,
  answerMcp.answerMcpRoute,
  sessions.getSessionRoute,
  sessions.openSessionRoute,
  sessions.closeSessionRoute,
  getConsole.getConsoleRoute,
  // last: it takes every path below /console that no other route has
  getConsole.getConsoleFileRoute,
]
