import type { Schema } from '#client/create-client.ts'
import { didYouMean } from '#core/did-you-mean.ts'

/** What to say when a template that was named does not exist: which was most likely meant, else which there are. */
export function noTemplateText(
  named: string,
  templates: readonly Pick<Schema<'PackTemplate'>, 'pack' | 'template'>[],
): string {
  const names = templates.map(({ pack, template }) => `${pack}/${template}`)
  const only = onlyTemplateOf(named, templates)
  const hint = didYouMean(named, names) || (only === undefined ? '' : didYouMean(only, [only]))
  if (hint !== '') return `there is no template ${named}${hint}`
  const ofPack = names.filter((name) => name.startsWith(`${named.split('/')[0]}/`))
  if (ofPack.length > 0) return `there is no template ${named}: that pack has ${ofPack.join(', ')}`
  return names.length === 0
    ? `there is no template ${named}, and no other: see docs/packs.md for how to add a pack`
    : `there is no template ${named}: see which there are with: svc templates`
}

/** A template without its pack, or with another's. */
function onlyTemplateOf(named: string, templates: readonly Pick<Schema<'PackTemplate'>, 'pack' | 'template'>[]) {
  const wanted = named.split('/').at(-1)
  const found = templates.filter(({ template }) => template === wanted)
  return found.length === 1 && found[0] !== undefined ? `${found[0].pack}/${found[0].template}` : undefined
}
