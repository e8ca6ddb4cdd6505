import { DomainError } from '#core/errors.ts'
import type { AuthoredRow } from '#store/authored.ts'
import { EVERYWHERE } from '#store/console-documents.ts'
import { authoredAudit, authorOf, overtaken, refuseFaults } from '../authored-document.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { type Standing, standingOf, toSettingRecord } from './setting-record.ts'

/** As many environments, or profiles, as the console says something about. */
const MOST_SETTINGS = 200

interface Write<Value> {
  /** as it was read; undefined for what is made */
  before: Standing<Value> | undefined
  document: string
}

/** Stores what the console says about one, checked as files are, and answers with it as it is in force in this process from now on. */
export async function writeSetting<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
  { before, document }: Write<Value>,
) {
  const { said, faults } = await kind.lint(document)
  refuseFaults(faults)
  if (said === undefined) throw new Error('a text that is not sound has no fault')
  const { name } = said
  if (before !== undefined && before.name !== name)
    refuseFaults([{ file: kind.kind, message: `the document says ${name}, and the address ${before.name}` }])
  const value = kind.composed(said, name)
  if (value === undefined) throw new DomainError('conflict', `The file of ${name} cannot be read; repair it first.`)
  const loosens = await kind.loosened(before?.value, value)
  const row = await store(ctx, kind, { name, document, before, loosens })
  await ctx.setting_ports.source.lookAtConsole()
  return { ...(await toSettingRecord(ctx, kind, await standingOf(ctx, kind, name, row))), loosens }
}

async function store(
  ctx: SettingContext,
  {
    kind,
    audit: { created, updated },
  }: Pick<SettingKind<{ name: string }, { name: string }, unknown>, 'kind' | 'audit'>,
  write: { name: string; document: string; before: Standing<object> | undefined; loosens: string[] },
): Promise<AuthoredRow> {
  const { name, document, before, loosens } = write
  const settings = ctx.setting_ports.stores[kind]
  const author = authorOf(ctx)
  const old = before?.row?.document
  const audit = authoredAudit(ctx, {
    ...(before === undefined ? created : updated),
    subject: { type: kind, id: `console/${kind}s/${name}` },
    before: old,
    after: document,
    data: { name, author, loosens },
  })
  if (old !== undefined) {
    const row = await settings.replace(EVERYWHERE, { name, document, author, before: old }, audit)
    if (row === undefined) throw overtaken()
    return row
  }
  if ((await settings.list(EVERYWHERE)).length >= MOST_SETTINGS)
    throw new DomainError('conflict', `The console says something about ${MOST_SETTINGS} of them, and takes no more.`)
  const row = await settings.create(EVERYWHERE, { name, document, author }, audit)
  if (row === undefined) throw overtaken()
  return row
}
