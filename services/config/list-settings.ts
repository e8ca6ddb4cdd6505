import type { SettingRecord } from '#core/config/setting-schema.ts'
import { mustBeOfAll } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'

/** The effective settings of this process, with secrets hidden. */
export function listSettings(ctx: Pick<ServiceContext, 'actor'> & { settings(): SettingRecord[] }): SettingRecord[] {
  mustBeOfAll(ctx.actor)
  return ctx.settings()
}
