import { Command } from 'commander'
import { registerAdmin } from './commands/admin.ts'
import { registerAnsweringAccounts } from './commands/answering-accounts.ts'
import { registerAsk } from './commands/ask.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBusAdmin } from './commands/bus-admin.ts'
import { registerCheck } from './commands/check.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerConfig } from './commands/config.ts'
import { registerConnections } from './commands/connections.ts'
import { registerDeliveries } from './commands/deliveries.ts'
import { registerDemo } from './commands/demo.ts'
import { registerDev } from './commands/dev.ts'
import { registerEndRun } from './commands/end-run.ts'
import { registerEvidence } from './commands/evidence.ts'
import { registerGates } from './commands/gates.ts'
import { registerHalt } from './commands/halt.ts'
import { registerInit } from './commands/init.ts'
import { registerKeys } from './commands/keys.ts'
import { registerKnowledge } from './commands/knowledge.ts'
import { registerLineage } from './commands/lineage.ts'
import { registerLogin } from './commands/login.ts'
import { registerLogout } from './commands/logout.ts'
import { registerLogs } from './commands/logs.ts'
import { registerModels } from './commands/models.ts'
import { registerPack } from './commands/pack.ts'
import { registerPacks } from './commands/packs.ts'
import { registerPipeline } from './commands/pipeline.ts'
import { registerRemote } from './commands/remote.ts'
import { registerRepeatRun } from './commands/repeat-run.ts'
import { registerRun } from './commands/run.ts'
import { registerRuns } from './commands/runs.ts'
import { registerSchedule } from './commands/schedule.ts'
import { registerSecrets } from './commands/secrets.ts'
import { registerSkill } from './commands/skill.ts'
import { registerStart } from './commands/start.ts'
import { registerTemplates } from './commands/templates.ts'
import { registerUsers } from './commands/users.ts'
import { registerWhoami } from './commands/whoami.ts'
import { registerWorkspaces } from './commands/workspaces.ts'
import type { CliDeps } from './deps.ts'

const COMMANDS = [
  registerInit,
  registerStart,
  registerDemo,
  registerRun,
  registerRuns,
  registerGates,
  registerLogs,
  registerRemote,
  registerAsk,
  registerEndRun,
  registerRepeatRun,
  registerHalt,
  registerDeliveries,
  registerPacks,
  registerTemplates,
  registerLineage,
  registerEvidence,
  registerAudit,
  registerCheck,
  registerPack,
  registerPipeline,
  registerConfig,
  registerConnections,
  registerSecrets,
  registerLogin,
  registerLogout,
  registerWhoami,
  registerAnsweringAccounts,
  registerUsers,
  registerWorkspaces,
  registerAdmin,
  registerKeys,
  registerModels,
  registerBusAdmin,
  registerSchedule,
  registerSkill,
  registerKnowledge,
  registerDev,
  registerCompletion,
]

/** `svc` with every command; a command runs when it is parsed. With `json`, the caller reports faults of the command line. */
export function createProgram(
  about: { description: string; version: string },
  deps: CliDeps,
  { json = false }: { json?: boolean } = {},
): Command {
  const program = new Command('svc').description(about.description).version(about.version).exitOverride()
  if (json) program.configureOutput({ writeErr: () => undefined })
  for (const register of COMMANDS) register(program, deps)
  return program
}
