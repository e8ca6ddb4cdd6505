import { DomainError } from '#core/errors.ts'
import { EVERYWHERE } from '#store/console-documents.ts'
import { authoredAudit, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { findSetting, mustStandAbove } from './setting-record.ts'

/** Takes back what the console says about it: what files say is in force again, or it is gone where none says anything. */
export async function deleteSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  { name, if_match }: { name: string; if_match?: string | undefined },
) {
  mustStandAbove(ctx, kind.called)
  const { row, value, etag } = await findSetting(ctx, kind, name)
  mustMatch(if_match, etag)
  if (row === undefined)
    throw new DomainError('conflict', `The console says nothing about ${name}: it is shipped, or stands in a file.`)
  const loosens = await kind.loosened(value, kind.composed(undefined, name))
  const audit = authoredAudit(ctx, {
    ...kind.audit.deleted,
    subject: { type: kind.kind, id: `console/${kind.kind}s/${name}` },
    before: row.document,
    data: { name, author: row.author, loosens },
  })
  const removed = await ctx.setting_ports.stores[kind.kind].remove(EVERYWHERE, { name, before: row.document }, audit)
  if (!removed) throw overtaken()
  await ctx.setting_ports.source.lookAtConsole()
  return { name, layers: ctx.setting_ports.source.layers(kind.kind, name), loosens }
}
