import { Command } from 'commander'
import { registerAdmin } from './commands/admin.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBusAdmin } from './commands/bus-admin.ts'
import { registerCheck } from './commands/check.ts'
import { registerConfig } from './commands/config.ts'
import { registerDeliveries } from './commands/deliveries.ts'
import { registerDemo } from './commands/demo.ts'
import { registerHalt } from './commands/halt.ts'
import { registerKeys } from './commands/keys.ts'
import { registerLineage } from './commands/lineage.ts'
import { registerLogin } from './commands/login.ts'
import { registerLogout } from './commands/logout.ts'
import { registerPack } from './commands/pack.ts'
import { registerRemote } from './commands/remote.ts'
import { registerRun } from './commands/run.ts'
import { registerSchedule } from './commands/schedule.ts'
import { registerSkill } from './commands/skill.ts'
import { registerStart } from './commands/start.ts'
import { registerWhoami } from './commands/whoami.ts'
import type { CliDeps } from './deps.ts'

const COMMANDS = [
  registerStart,
  registerDemo,
  registerRun,
  registerRemote,
  registerHalt,
  registerDeliveries,
  registerLineage,
  registerAudit,
  registerCheck,
  registerPack,
  registerConfig,
  registerLogin,
  registerLogout,
  registerWhoami,
  registerAdmin,
  registerKeys,
  registerBusAdmin,
  registerSchedule,
  registerSkill,
]

/** `svc` with every command; what one does begins when it is parsed. */
export function createProgram(about: { description: string; version: string }, deps: CliDeps): Command {
  const program = new Command('svc').description(about.description).version(about.version).exitOverride()
  for (const register of COMMANDS) register(program, deps)
  return program
}
