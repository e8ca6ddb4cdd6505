import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean, nearestName } from '#core/text/did-you-mean.ts'
import type { ApiClient } from './api-client.ts'
import { ApiProblem } from './api-problem.ts'

/** The pack and the template that a name of two parts names. Throws `validation_failed` for any other. */
export function templateNamed(name: string): { pack: string; template: string } {
  const [, pack, template] = /^([^/]+)\/([^/]+)$/.exec(name) ?? []
  if (pack === undefined || template === undefined) throw new DomainError('validation_failed', notATemplate(name))
  return { pack, template }
}

/** Returns an answer about a template; for an unknown one, throws with the nearest name. */
export async function orNearest<Answer>(
  api: Pick<ApiClient, 'packs'>,
  named: string,
  answer: Promise<Answer>,
): Promise<Answer> {
  return await answer.catch(async (error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error
    const templates = await api.packs().catch(() => undefined)
    if (templates === undefined || templates.some((each) => `${each.pack}/${each.template}` === named)) throw error
    throw new DomainError('not_found', noTemplateText(named, templates))
  })
}

/** Formats the message for an unknown template: the nearest name, else the known ones. */
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

function notATemplate(name: string): string {
  const hint = /^run_/.test(name)
    ? `a run is shown with: svc run show ${name}`
    : nearestName(name, ['show']) === undefined
      ? 'see which there are with: svc templates'
      : 'did you mean svc run show?'
  return `name the template as pack/template, not ${JSON.stringify(name)}; ${hint}`
}
