import { editEnvironment } from './edit-environment.ts'
import type { SettingContext } from './setting-ports.ts'

/** Attaches these corpora to an environment, and no others. What else the console says about it stays. */
export async function attachKnowledge(
  ctx: SettingContext,
  { knowledge, ...at }: { name: string; if_match?: string | undefined; knowledge: string[] },
) {
  return await editEnvironment(ctx, at, { knowledge })
}
