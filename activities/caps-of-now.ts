import { runCapUsd } from '#core/budget/run-cap.ts'
import { capFromUsd, type MicroUsd } from '#core/money.ts'
import { isoTime } from '#core/time.ts'
import type { StepOpening } from '#store/run-patches.ts'
import type { StepDeps } from './deps.ts'
import type { RunSession } from './run-session.ts'

/** The caps as they are now that a reservation has to fit under, besides the one its run began with; none where nothing is reserved. */
export async function capsOfNow(
  deps: StepDeps,
  session: RunSession,
  reserve: MicroUsd,
): Promise<
  Pick<StepOpening, 'run_cap_micro_usd' | 'daily_cap_micro_usd' | 'workspace_daily_cap_micro_usd' | 'budget_day'>
> {
  if (reserve === 0) return {}
  const run_cap_micro_usd = capFromUsd(runCapUsd(session.environment, deps.environments.profile(session.head.profile)))
  const ofEnvironment = session.environment.cost_gate.daily_usd
  const ofWorkspace = (await deps.workspaces.find(session.head.workspace_id))?.limits.daily_usd
  if (ofEnvironment === undefined && ofWorkspace === undefined) return { run_cap_micro_usd }
  return {
    run_cap_micro_usd,
    budget_day: isoTime(deps.clock()).slice(0, 10),
    ...(ofEnvironment === undefined ? {} : { daily_cap_micro_usd: capFromUsd(ofEnvironment) }),
    ...(ofWorkspace === undefined ? {} : { workspace_daily_cap_micro_usd: capFromUsd(ofWorkspace) }),
  }
}
