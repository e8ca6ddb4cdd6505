import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliDeps } from '../../deps.ts'
import { pc, printable } from '../../views/format.ts'
import { INPUT_COLUMNS, inputsOfSchema, neededInputs, shortInputs } from '../../views/input-table.ts'
import { isJson, type ListFlags, printList, withOutput } from '../../views/list-output.ts'
import { type Column, tableLines } from '../../views/table.ts'

type Bundle = Schema<'PipelineBundle'>

/** A pipeline of a bundle, or a bundle of which none can be started. */
interface Row {
  bundle: Bundle
  pipeline?: Bundle['pipelines'][number]
}

interface BundlesDeps extends Pick<CliDeps, 'out' | 'err' | 'screen'> {
  api(): Pick<ApiClient, 'bundles'>
}

const COLUMNS: Column<Row>[] = [
  { title: 'BUNDLE', text: ({ bundle }) => bundle.path },
  { title: 'PIPELINE', text: ({ pipeline }) => pipeline?.name ?? '' },
  { title: 'INPUTS', text: ({ pipeline }) => shortInputs(inputsOfSchema(pipeline?.inputs_schema)), cut: true },
  { title: 'TITLE', text: titleOf, cut: true },
]

/** `svc pipeline bundles`: which pipelines can be started, and with which inputs. */
export function registerPipelineBundles(pipeline: Command, deps: BundlesDeps): void {
  withOutput(
    pipeline
      .command('bundles')
      .description('list the bundles with the pipelines that can be started, or one bundle with what they take'),
  )
    .argument('[bundle]', 'only this one, in full')
    .action(async (path: string | undefined, flags: ListFlags) => {
      const all = await deps.api().bundles()
      if (path !== undefined) {
        const bundle = bundleOf(path, all)
        return isJson(flags) ? deps.out(visibleJson(bundle)) : show(bundle, deps)
      }
      const empty = 'there are no bundles; docs/pipelines.md says how to write one'
      if (isJson(flags)) return printList(deps, flags, { columns: [], rows: all, empty })
      printList(deps, flags, { columns: COLUMNS, rows: all.flatMap(rowsOf), empty })
    })
}

function rowsOf(bundle: Bundle): Row[] {
  return bundle.pipelines.length === 0 ? [{ bundle }] : bundle.pipelines.map((pipeline) => ({ bundle, pipeline }))
}

function titleOf({ bundle: { faults }, pipeline }: Row): string {
  if (pipeline !== undefined) return pipeline.title
  return `cannot be started: ${faults[0] ?? ''}${faults.length > 1 ? `, and ${faults.length - 1} more` : ''}`
}

function bundleOf(path: string, all: readonly Bundle[]): Bundle {
  const found = all.find((each) => each.path === path)
  if (found !== undefined) return found
  const paths = all.map((each) => each.path)
  throw new DomainError('not_found', `there is no bundle ${path}${didYouMean(path, paths)}`)
}

function show(bundle: Bundle, { out, screen }: BundlesDeps): void {
  const { path, pipelines, faults } = bundle
  out(pc.bold(printable(path)))
  for (const fault of faults) out(`  ${pc.red(printable(fault))}`)
  for (const { name, title, description, inputs_schema } of pipelines) {
    out('')
    out(`${pc.bold(printable(name))}  ${printable(title)}`)
    if (description !== undefined) out(`  ${printable(description)}`)
    const inputs = inputsOfSchema(inputs_schema)
    if (inputs.length > 0) for (const line of tableLines(INPUT_COLUMNS, inputs, screen()?.width)) out(line)
    const named = pipelines.length > 1 ? ` ${name}` : ''
    out(pc.dim(printable(`start it with: svc pipeline run ${path}${named}${neededInputs(inputs)}`)))
  }
}
