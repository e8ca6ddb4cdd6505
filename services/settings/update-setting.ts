import { mustMatch } from '../must-match.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Puts what the console says about an environment or a profile in the place of what it said. */
export async function updateSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  change: { name: string; if_match?: string | undefined; document: string },
) {
  mustStandAbove(ctx, kind.called)
  const before = await findSetting(ctx, kind, change.name)
  mustMatch(change.if_match, before.etag)
  return await writeSetting(ctx, kind, { before, document: change.document })
}
