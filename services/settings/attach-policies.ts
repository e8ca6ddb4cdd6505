import { editEnvironment } from './edit-environment.ts'
import type { SettingContext } from './setting-ports.ts'

/** Attaches these policies of the console to an environment, and no others. What else the console says about it stays. */
export async function attachPolicies(
  ctx: SettingContext,
  { policies, ...at }: { name: string; if_match?: string | undefined; policies: string[] },
) {
  return await editEnvironment(ctx, at, { policies })
}
