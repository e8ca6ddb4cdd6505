import type { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { registerAskPlan } from './ask/plan.ts'

const COMMANDS = [registerAskPlan]

/** `svc ask …`: questions about the platform, and plans of runs. Nothing here starts a run. */
export function registerAsk(program: Command, deps: CliDeps): void {
  const ask = program.command('ask').description('ask about the platform, and plan runs; nothing is started')
  for (const register of COMMANDS) register(ask, deps)
}
