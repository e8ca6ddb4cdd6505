import { Command } from 'commander'
import { registerAdmin } from './commands/admin.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBusAdmin } from './commands/bus-admin.ts'
import { registerConfig } from './commands/config.ts'
import { registerDemo } from './commands/demo.ts'
import { registerHalt } from './commands/halt.ts'
import { registerLineage } from './commands/lineage.ts'
import { registerLogin } from './commands/login.ts'
import { registerLogout } from './commands/logout.ts'
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
  registerLineage,
  registerAudit,
  registerConfig,
  registerLogin,
  registerLogout,
  registerWhoami,
  registerAdmin,
  registerBusAdmin,
  registerSchedule,
  registerSkill,
]

/** `svc` with every command; what one does begins when it is parsed. With `json`, what is wrong with a command line is left to the caller to say. */
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
