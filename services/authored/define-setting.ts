import { DomainError } from '#core/errors.ts'
import { EVERYWHERE } from '#store/authored/console-documents.ts'
import { loosensOf, refuseFaults } from '../authored-document.ts'
import { authoredTexts, type TextDraft } from './authored-texts.ts'
import { defineAuthored } from './define-authored.ts'
import type { SettingContext, SettingKind, SettingName } from './setting-ports.ts'
import { findSetting, mustBeDeploymentAdmin, type SettingState, stateOf, toSettingRecord } from './setting-record.ts'

type Named = { name: string }

/**
 * Makes the verbs of environments, or profiles: the console's document overrides the files. A verb answers with the value that is in force
 * in this process from now on.
 */
export function defineSetting<Value extends Named, Document extends Named, Shown>(
  { kind, called, audit }: SettingName,
  kindOf: (ctx: SettingContext) => SettingKind<Value, Document, Shown>,
) {
  const store = (ctx: SettingContext) => ctx.setting_ports.stores[kind]
  const layers = (ctx: SettingContext, name: string) => ctx.setting_ports.source.layers(kind, name)
  const texts = authoredTexts<SettingContext>({
    kind,
    called,
    audit,
    store,
    many: `${kind}s`,
    owner: () => EVERYWHERE,
    subject: (_ctx, name) => `console/${kind}s/${name}`,
    changed: (ctx) => ctx.setting_ports.source.reloadConsole(),
  })

  async function mustBeFree(ctx: SettingContext, name: string): Promise<void> {
    if ((await store(ctx).find(EVERYWHERE, name)) !== undefined || layers(ctx, name).length > 0)
      throw new DomainError('conflict', `There is the ${kind} ${name} already; change it instead.`)
  }

  async function lint(ctx: SettingContext, document: string, stored?: string): Promise<TextDraft & { value: Value }> {
    const { value: parsed, faults } = await kindOf(ctx).lint(document)
    if (parsed !== undefined && stored === undefined) await mustBeFree(ctx, parsed.name)
    const before = stored === undefined || parsed === undefined ? undefined : await store(ctx).find(EVERYWHERE, stored)
    // an edit is refused for what it changes, and not for what stood there before
    const known = before === undefined ? [] : (await kindOf(ctx).lint(before.document)).faults
    refuseFaults(faults.filter(({ message }) => known.every((fault) => fault.message !== message)))
    if (parsed === undefined) throw new Error('a text that is not sound has no fault')
    const { name } = parsed
    if (stored !== undefined && stored !== name)
      refuseFaults([{ file: kind, message: `the document says ${name}, and the address ${stored}` }])
    const value = kindOf(ctx).composed(parsed, name)
    if (value === undefined) throw new DomainError('conflict', `The file of ${name} cannot be read; repair it first.`)
    return { name, document, value }
  }

  return defineAuthored({
    needs: { role: 'admin', access: 'write', scope: 'account' },
    auth: (ctx: SettingContext) => mustBeDeploymentAdmin(ctx, called),

    async list(ctx: SettingContext): Promise<SettingState<Value>[]> {
      const rows = new Map((await store(ctx).list(EVERYWHERE)).map((row) => [row.name, row]))
      const names = [...new Set([...kindOf(ctx).names(), ...rows.keys()])].sort()
      const states = await Promise.all(names.map((name) => stateOf(ctx, kindOf(ctx), name, rows.get(name))))
      return states.filter(({ value }) => value !== undefined && kindOf(ctx).isSeen(value))
    },

    find: (ctx, name: string) => findSetting(ctx, kindOf(ctx), name),

    async record(ctx, state, loosens?: string[]) {
      return { ...(await toSettingRecord(ctx, kindOf(ctx), state)), ...(loosens !== undefined && { loosens }) }
    },

    lint: (ctx, document: string) => lint(ctx, document),
    lintEdit: (ctx, document: string, { name }) => lint(ctx, document, name),

    async loosened(ctx, before, after) {
      const { composed, loosened } = kindOf(ctx)
      return await loosened(before?.value, after === undefined ? composed(undefined, before?.name ?? '') : after.value)
    },

    async save(ctx, before, after, loosens): Promise<SettingState<Value>> {
      const { row } = await texts.save(ctx, before, after, loosens)
      return await stateOf(ctx, kindOf(ctx), after.name, row)
    },

    /** The files' value is in force again; without one the setting is removed. */
    async remove(ctx, { name, row }, loosens) {
      if (row === undefined)
        throw new DomainError('conflict', `The console has no document of ${name}: it is shipped, or set in a file.`)
      await texts.remove(ctx, row, loosens)
      return { name, layers: layers(ctx, name), loosens }
    },

    made: (done) => ({ key: String(done.data['name']), loosens: loosensOf(done) }),
  })
}
