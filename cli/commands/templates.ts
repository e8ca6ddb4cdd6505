import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { noTemplateText } from '../client/no-template.ts'
import type { CliDeps } from '../deps.ts'
import { pc, printable } from '../views/format.ts'
import { INPUT_COLUMNS, inputsOfSchema, neededInputs, shortInputs } from '../views/input-table.ts'
import { isJson, type ListFlags, printList, withOutput } from '../views/list-output.ts'
import { paintRisk, riskText } from '../views/pill-text.ts'
import { type Column, tableLines } from '../views/table.ts'

type Template = Schema<'PackTemplate'>

interface TemplatesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'packs'>
}

const COLUMNS: Column<Template>[] = [
  { title: 'TEMPLATE', text: nameOf },
  { title: 'RISK', text: ({ risk }) => riskText(risk), paint: (text, { risk }) => paintRisk(text, risk) },
  { title: 'INPUTS', text: ({ inputs }) => shortInputs(inputsOfSchema(inputs)), cut: true },
  { title: 'TITLE', text: ({ title }) => title, cut: true },
  { title: 'VERSION', text: ({ version }) => version, wide: true },
  { title: 'ACTS', text: ({ action_types }) => action_types.join(', '), wide: true },
]

/** `svc templates`: what can be started, and with which inputs. */
export function registerTemplates(program: Command, deps: TemplatesDeps): void {
  withOutput(program.command('templates').description('list what can be started, or one with what it takes'))
    .argument('[pack/template]', 'only this one, in full')
    .action(async (name: string | undefined, flags: ListFlags) => {
      const all = await deps.api().packs()
      if (name === undefined) {
        const empty = 'there are no templates; docs/packs.md says how to add a pack'
        return printList(deps, flags, { columns: COLUMNS, rows: all, empty })
      }
      const found = all.find((each) => nameOf(each) === name)
      if (found === undefined) throw new DomainError('not_found', noTemplateText(name, all))
      if (isJson(flags)) return deps.out(visibleJson(found))
      show(found, deps)
    })
}

function show(template: Template, { out, screen }: TemplatesDeps): void {
  const { title, description, version, risk, action_types } = template
  out(`${pc.bold(nameOf(template))} ${printable(`${version}  ${title}`)}`)
  if (description !== undefined) out(`  ${printable(description)}`)
  out(`  ${pc.dim('risk')} ${risk}  ${pc.dim('acts')} ${printable(action_types.join(', ') || 'on nothing')}`)
  const inputs = inputsOfSchema(template.inputs)
  if (inputs.length > 0) for (const line of tableLines(INPUT_COLUMNS, inputs, screen()?.width)) out(line)
  out(pc.dim(`start it with: svc run ${nameOf(template)}${printable(neededInputs(inputs))}`))
}

function nameOf({ pack, template }: Template): string {
  return `${pack}/${template}`
}
