import type { Operator, OperatorCatalog } from '#core/operator.ts'
import type { BackupStore } from '#platform/backups/backup-store.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Git } from '#platform/git/git-program.ts'
import type { Mailer } from '#platform/mail/send-mail.ts'
import type { McpClient } from '#platform/mcp/mcp-client.ts'
import type { ProcessRunner } from '#platform/processes/process-runner.ts'
import type { S3Client } from '#platform/s3/s3-client.ts'
import { busPublish } from './bus/publish.ts'
import { coreFail } from './core/fail.ts'
import { coreWait } from './core/wait.ts'
import { createGitCommit } from './git/commit.ts'
import { createGitDiff } from './git/diff.ts'
import { createGitRead } from './git/read.ts'
import { createHttpRequest } from './http/request.ts'
import { createHttpVerify } from './http/verify.ts'
import { llmGenerate } from './llm/generate.ts'
import { createMcpTool } from './mcp/tool.ts'
import { createPostgresBackup } from './postgres/backup.ts'
import { postgresExecute } from './postgres/execute.ts'
import { postgresGrant } from './postgres/grant.ts'
import { postgresQuery } from './postgres/query.ts'
import { createPostgresRestore } from './postgres/restore.ts'
import { createPostgresRestoreCheck } from './postgres/restore-check.ts'
import { postgresRestoreClear } from './postgres/restore-clear.ts'
import { createPostgresRetire } from './postgres/retire.ts'
import { postgresRevoke } from './postgres/revoke.ts'
import { createPostgresRotate } from './postgres/rotate.ts'
import { createProcessRun } from './process/run.ts'
import { createPrometheusQuery } from './prometheus/query.ts'
import { reportRender } from './report/render.ts'
import { createS3Get } from './s3/get.ts'
import { createS3Presign } from './s3/presign.ts'
import { createS3Put } from './s3/put.ts'
import { createSlackPost } from './slack/post.ts'
import { createSmtpSend } from './smtp/send.ts'
import { temporalActivity } from './temporal/activity.ts'
import { createTlsProbe } from './tls/probe.ts'

/** Creates the catalog of built-in operators. A new one is a file of its own and a line here. */
export function createOperators(deps: {
  egress: EgressClient
  backups?: BackupStore
  mail?: Mailer
  git?: Git
  s3?: S3Client
  processes?: ProcessRunner
  mcp?: McpClient
}): OperatorCatalog {
  const operators: Operator[] = [
    createHttpRequest(deps),
    createHttpVerify(deps),
    createTlsProbe(deps),
    createPrometheusQuery(deps),
    createSmtpSend(deps),
    createSlackPost(deps),
    createGitRead(deps),
    createGitDiff(deps),
    createGitCommit(deps),
    postgresQuery,
    postgresExecute,
    createPostgresBackup(deps.backups),
    createPostgresRestore(deps.backups),
    createPostgresRestoreCheck(deps.backups),
    postgresRestoreClear,
    postgresGrant,
    postgresRevoke,
    createPostgresRotate(deps),
    createPostgresRetire(deps),
    createS3Get(deps.s3),
    createS3Put(deps.s3),
    createS3Presign(deps.s3),
    createProcessRun(deps.processes),
    createMcpTool(deps),
    reportRender,
    llmGenerate,
    busPublish,
    coreWait,
    coreFail,
    temporalActivity,
  ]
  const byId = new Map(operators.map((operator) => [operator.id, operator]))
  return { get: (id) => byId.get(id), list: () => [...operators] }
}
