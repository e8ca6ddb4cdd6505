import { DomainError } from '#core/errors.ts'
import { EVERYWHERE } from '#store/console-documents.ts'
import { authoredAudit, loosensOf, mustMatch, overtaken } from '../authored-document.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { findSetting, mustStandAbove, standingOf, toSettingRecord } from './setting-record.ts'
import { writeSetting } from './write-setting.ts'

/** All that the caller may know of, by name. */
export async function listSettings<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
) {
  const rows = new Map((await ctx.setting_ports.stores[kind.kind].list(EVERYWHERE)).map((row) => [row.name, row]))
  const names = [...new Set([...kind.names(), ...rows.keys()])].sort()
  const standings = await Promise.all(names.map((name) => standingOf(ctx, kind, name, rows.get(name))))
  const seen = standings.filter(({ value }) => value !== undefined && kind.isSeen(value))
  const items = await Promise.all(seen.map((standing) => toSettingRecord(ctx, kind, standing)))
  return { items, total: { count: items.length, capped: false } }
}

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

/** One environment or profile as it is in force. */
export async function getSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  name: string,
) {
  return await toSettingRecord(ctx, kind, await findSetting(ctx, kind, name))
}

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
