import { DomainError } from '#core/errors.ts'
import { EVERYWHERE } from '#store/console-documents.ts'
import { loosensOf } from '../authored-document.ts'
import { getSetting } from './get-setting.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { mustStandAbove } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** Makes an environment or a profile that stands in the console alone. Throws `conflict` for a name that is taken in any layer. */
export async function createSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  document: string,
) {
  mustStandAbove(ctx, kind.called)
  const { done } = ctx.attempt ?? {}
  if (done !== undefined)
    return { ...(await getSetting(ctx, kind, String(done.data['name']))), loosens: loosensOf(done) }
  const name = (await kind.lint(document)).said?.name
  if (name !== undefined) {
    const row = await ctx.setting_ports.stores[kind.kind].find(EVERYWHERE, name)
    const layers = ctx.setting_ports.source.layers(kind.kind, name)
    if (row !== undefined || layers.length > 0)
      throw new DomainError('conflict', `There is the ${kind.kind} ${name} already; change it instead.`)
  }
  return await writeSetting(ctx, kind, { before: undefined, document })
}
