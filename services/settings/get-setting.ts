import type { SettingContext, SettingKind } from './setting-ports.ts'
import { findSetting, toSettingRecord } from './setting-record.ts'

/** One environment or profile as it is in force. */
export async function getSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  name: string,
) {
  return await toSettingRecord(ctx, kind, await findSetting(ctx, kind, name))
}
