import type { Route } from './define-route.ts'
import { createApiKeyRoute } from './routes/admin/create-api-key.ts'
import { inviteUserRoute } from './routes/admin/invite-user.ts'
import { listApiKeysRoute } from './routes/admin/list-api-keys.ts'
import { listUsersRoute } from './routes/admin/list-users.ts'
import { revokeApiKeyRoute } from './routes/admin/revoke-api-key.ts'
import { setPasswordRoute } from './routes/admin/set-password.ts'
import { updateUserRoute } from './routes/admin/update-user.ts'
import { decideApprovalLinkRoute } from './routes/approvals/decide-approval-link.ts'
import { dismissGatesRoute } from './routes/approvals/dismiss-gates.ts'
import { expireGateRoute } from './routes/approvals/expire-gate.ts'
import { listGatesRoute } from './routes/approvals/list-gates.ts'
import { pendingApprovalRoute } from './routes/approvals/pending-approval.ts'
import { resumeRunRoute } from './routes/approvals/resume-run.ts'
import { showApprovalLinkRoute } from './routes/approvals/show-approval-link.ts'
import { askQuestionRoute } from './routes/ask/ask-question.ts'
import { getAskThreadRoute } from './routes/ask/get-ask-thread.ts'
import { addAnsweringAccountRoute } from './routes/auth/add-answering-account.ts'
import { getAuthStatusRoute } from './routes/auth/get-auth-status.ts'
import { getMeRoute } from './routes/auth/get-me.ts'
import { issueTokenRoute } from './routes/auth/issue-token.ts'
import { listAnsweringAccountsRoute } from './routes/auth/list-answering-accounts.ts'
import { listDelegatesRoute } from './routes/auth/list-delegates.ts'
import { logOutRoute } from './routes/auth/log-out.ts'
import { removeAnsweringAccountRoute } from './routes/auth/remove-answering-account.ts'
import { signInRoute } from './routes/auth/sign-in.ts'
import { updateMeRoute } from './routes/auth/update-me.ts'
import { closeSessionRoute } from './routes/console/close-session.ts'
import { createConfigPresetRoute } from './routes/console/create-config-preset.ts'
import { createInputPresetRoute } from './routes/console/create-input-preset.ts'
import { deleteConfigPresetRoute } from './routes/console/delete-config-preset.ts'
import { deleteInputPresetRoute } from './routes/console/delete-input-preset.ts'
import { explainPolicyRoute } from './routes/console/explain-policy.ts'
import { getAuditCheckpointRoute } from './routes/console/get-audit-checkpoint.ts'
import { getConfigPresetRoute } from './routes/console/get-config-preset.ts'
import { getConsoleFileRoute, getConsoleRoute } from './routes/console/get-console.ts'
import { getGatewaySummaryRoute } from './routes/console/get-gateway-summary.ts'
import { getInputPresetRoute } from './routes/console/get-input-preset.ts'
import { getSessionRoute } from './routes/console/get-session.ts'
import { getWorkflowConfigRoute } from './routes/console/get-workflow-config.ts'
import { liftHaltRoute } from './routes/console/lift-halt.ts'
import { listAuditRoute } from './routes/console/list-audit.ts'
import { listChannelsRoute } from './routes/console/list-channels.ts'
import { listConfigPresetsRoute } from './routes/console/list-config-presets.ts'
import { listHaltsRoute } from './routes/console/list-halts.ts'
import { listInputPresetsRoute } from './routes/console/list-input-presets.ts'
import { listOperatorsRoute } from './routes/console/list-operators.ts'
import { listPipelineBundlesRoute } from './routes/console/list-pipeline-bundles.ts'
import { listPoliciesRoute } from './routes/console/list-policies.ts'
import { listRegisteredModelsRoute } from './routes/console/list-registered-models.ts'
import { listSettingsRoute } from './routes/console/list-settings.ts'
import { makeConfigPresetDefaultRoute } from './routes/console/make-config-preset-default.ts'
import { makeInputPresetDefaultRoute } from './routes/console/make-input-preset-default.ts'
import { openSessionRoute } from './routes/console/open-session.ts'
import { probeModelRoute } from './routes/console/probe-model.ts'
import { putWorkflowConfigRoute } from './routes/console/put-workflow-config.ts'
import { rehearsePolicyRoute } from './routes/console/rehearse-policy.ts'
import { resolvePlanRoute } from './routes/console/resolve-plan.ts'
import { setHaltRoute } from './routes/console/set-halt.ts'
import { simulatePoliciesRoute } from './routes/console/simulate-policies.ts'
import { testChannelRoute } from './routes/console/test-channel.ts'
import { updateConfigPresetRoute } from './routes/console/update-config-preset.ts'
import { updateInputPresetRoute } from './routes/console/update-input-preset.ts'
import { listDeliveriesRoute } from './routes/deliveries/list-deliveries.ts'
import { listRunDeliveriesRoute } from './routes/deliveries/list-run-deliveries.ts'
import { answerMcpRoute } from './routes/mcp/answer-mcp.ts'
import { getDocsAssetRoute, getDocsRoute } from './routes/meta/get-docs.ts'
import { getHealthRoute } from './routes/meta/get-health.ts'
import { getMetricsRoute } from './routes/meta/get-metrics.ts'
import { getOpenapiRoute } from './routes/meta/get-openapi.ts'
import { getProblemRoute } from './routes/meta/get-problem.ts'
import { getRootRoute } from './routes/meta/get-root.ts'
import { createChatCompletionRoute } from './routes/models/create-chat-completion.ts'
import { listModelsRoute } from './routes/models/list-models.ts'
import { getContractRoute } from './routes/packs/get-contract.ts'
import { getGraphRoute } from './routes/packs/get-graph.ts'
import { listPacksRoute } from './routes/packs/list-packs.ts'
import { preflightRoute } from './routes/packs/preflight.ts'
import { runTemplateRoute } from './routes/packs/run-template.ts'
import { validateInputsRoute } from './routes/packs/validate-inputs.ts'
import { advancePipelineStepRoute } from './routes/pipelines/advance-pipeline-step.ts'
import { approvePipelineStepRoute } from './routes/pipelines/approve-pipeline-step.ts'
import { cancelPipelineRoute } from './routes/pipelines/cancel-pipeline.ts'
import { getPipelineRoute } from './routes/pipelines/get-pipeline.ts'
import { getPipelineConfigRoute } from './routes/pipelines/get-pipeline-config.ts'
import { listPipelineEventsRoute } from './routes/pipelines/list-pipeline-events.ts'
import { listPipelinesRoute } from './routes/pipelines/list-pipelines.ts'
import { runPipelineRoute } from './routes/pipelines/run-pipeline.ts'
import { streamPipelineRoute } from './routes/pipelines/stream-pipeline.ts'
import { cancelRunRoute } from './routes/runs/cancel-run.ts'
import { downloadArtifactRoute } from './routes/runs/download-artifact.ts'
import { getLineageRoute } from './routes/runs/get-lineage.ts'
import { getReportRoute } from './routes/runs/get-report.ts'
import { getRunRoute } from './routes/runs/get-run.ts'
import { getStepRoute } from './routes/runs/get-step.ts'
import { listArtifactsRoute } from './routes/runs/list-artifacts.ts'
import { listEventsRoute } from './routes/runs/list-events.ts'
import { listRunsRoute } from './routes/runs/list-runs.ts'
import { listStepsRoute } from './routes/runs/list-steps.ts'
import { streamRunRoute } from './routes/runs/stream-run.ts'
import { createScheduleRoute } from './routes/triggers/create-schedule.ts'
import { deleteScheduleRoute } from './routes/triggers/delete-schedule.ts'
import { listFiresRoute } from './routes/triggers/list-fires.ts'
import { listInboxRoute } from './routes/triggers/list-inbox.ts'
import { listSchedulesRoute } from './routes/triggers/list-schedules.ts'
import { listSignedDeliveriesRoute } from './routes/triggers/list-signed-deliveries.ts'
import { listSkillsRoute } from './routes/triggers/list-skills.ts'
import { listStartersRoute } from './routes/triggers/list-starters.ts'
import { postInboxRoute } from './routes/triggers/post-inbox.ts'
import { previewScheduleRoute } from './routes/triggers/preview-schedule.ts'
import { receiveAlertsRoute } from './routes/triggers/receive-alerts.ts'
import { receiveIngressRoute } from './routes/triggers/receive-ingress.ts'
import { receivePatternRoute } from './routes/triggers/receive-pattern.ts'
import { receiveSlackRoute } from './routes/triggers/receive-slack.ts'
import { replayInboxRoute } from './routes/triggers/replay-inbox.ts'
import { startManuallyRoute } from './routes/triggers/start-manually.ts'
import { updateScheduleRoute } from './routes/triggers/update-schedule.ts'
import { attachKnowledgeRoute } from './routes/ui/attach-knowledge.ts'
import { attachPoliciesRoute } from './routes/ui/attach-policies.ts'
import { createConsolePolicyRoute } from './routes/ui/create-console-policy.ts'
import { createConsoleTriggerRoute } from './routes/ui/create-console-trigger.ts'
import { createCorpusRoute } from './routes/ui/create-corpus.ts'
import { createEnvironmentRoute } from './routes/ui/create-environment.ts'
import { createProfileRoute } from './routes/ui/create-profile.ts'
import { deleteConsolePolicyRoute } from './routes/ui/delete-console-policy.ts'
import { deleteConsoleTriggerRoute } from './routes/ui/delete-console-trigger.ts'
import { deleteCorpusRoute } from './routes/ui/delete-corpus.ts'
import { deleteEnvironmentRoute } from './routes/ui/delete-environment.ts'
import { deleteProfileRoute } from './routes/ui/delete-profile.ts'
import { getConsolePolicyRoute } from './routes/ui/get-console-policy.ts'
import { getConsoleTriggerRoute } from './routes/ui/get-console-trigger.ts'
import { getCorpusRoute } from './routes/ui/get-corpus.ts'
import { getEnvironmentRoute } from './routes/ui/get-environment.ts'
import { getModelCatalogRoute } from './routes/ui/get-model-catalog.ts'
import { getModelRolesRoute } from './routes/ui/get-model-roles.ts'
import { getPassageRoute } from './routes/ui/get-passage.ts'
import { getProfileRoute } from './routes/ui/get-profile.ts'
import { getProfileFormRoute } from './routes/ui/get-profile-form.ts'
import { indexCorpusRoute } from './routes/ui/index-corpus.ts'
import { listConsolePoliciesRoute } from './routes/ui/list-console-policies.ts'
import { listConsoleTriggersRoute } from './routes/ui/list-console-triggers.ts'
import { listCorporaRoute } from './routes/ui/list-corpora.ts'
import { listEnvironmentsRoute } from './routes/ui/list-environments.ts'
import { listProfilesRoute } from './routes/ui/list-profiles.ts'
import { putModelRolesRoute } from './routes/ui/put-model-roles.ts'
import { putProfileFormRoute } from './routes/ui/put-profile-form.ts'
import { queryCorpusRoute } from './routes/ui/query-corpus.ts'
import { updateConsolePolicyRoute } from './routes/ui/update-console-policy.ts'
import { updateConsoleTriggerRoute } from './routes/ui/update-console-trigger.ts'
import { updateEnvironmentRoute } from './routes/ui/update-environment.ts'
import { updateProfileRoute } from './routes/ui/update-profile.ts'
import { archiveWorkspaceRoute } from './routes/workspaces/archive-workspace.ts'
import { createWorkspaceRoute } from './routes/workspaces/create-workspace.ts'
import { listWorkspacesRoute } from './routes/workspaces/list-workspaces.ts'
import { updateWorkspaceRoute } from './routes/workspaces/update-workspace.ts'

/** Every route there is. What is not in this list is not served. */
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
  listConfigPresetsRoute,
  createConfigPresetRoute,
  getConfigPresetRoute,
  updateConfigPresetRoute,
  deleteConfigPresetRoute,
  makeConfigPresetDefaultRoute,
  listInputPresetsRoute,
  createInputPresetRoute,
  getInputPresetRoute,
  updateInputPresetRoute,
  deleteInputPresetRoute,
  makeInputPresetDefaultRoute,
  listConsolePoliciesRoute,
  createConsolePolicyRoute,
  getConsolePolicyRoute,
  updateConsolePolicyRoute,
  deleteConsolePolicyRoute,
  listConsoleTriggersRoute,
  createConsoleTriggerRoute,
  getConsoleTriggerRoute,
  updateConsoleTriggerRoute,
  deleteConsoleTriggerRoute,
  listEnvironmentsRoute,
  createEnvironmentRoute,
  getEnvironmentRoute,
  updateEnvironmentRoute,
  deleteEnvironmentRoute,
  attachPoliciesRoute,
  attachKnowledgeRoute,
  listCorporaRoute,
  createCorpusRoute,
  getCorpusRoute,
  getPassageRoute,
  deleteCorpusRoute,
  indexCorpusRoute,
  queryCorpusRoute,
  listProfilesRoute,
  createProfileRoute,
  getProfileRoute,
  updateProfileRoute,
  deleteProfileRoute,
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
