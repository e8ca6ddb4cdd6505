import { posix } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import { checkPlan, type PackFacts } from '#core/plan/check-plan.ts'
import { templateVariables } from '#core/plan/check-references.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import { sha256 } from '../sha256.ts'
import { checkLiquid, type LiquidNames } from './check-liquid.ts'
import type { LoadedTemplate } from './loaded-pack.ts'
import { parseDocument } from './parse-document.ts'
import type { PackFiles } from './read-pack-files.ts'
import type { YamlFile } from './read-yaml.ts'

/** Members of `with` that may be the name of a file. */
const BODIES = ['body', 'prompt']

/** Compiles one template file of a pack. A `with.body` or `with.prompt` that names a `.liquid` file is replaced by that file's text. */
export function loadTemplate(
  path: string,
  pack: PackFacts,
  { files }: PackFiles,
  catalog: OperatorCatalog,
): LoadedTemplate | FileFault[] {
  const file = `${pack.name}/${path}`
  const parsed = parseDocument(TemplateSpec, file, files.get(path) ?? new Uint8Array())
  if (Array.isArray(parsed)) return parsed
  const { data, yaml } = parsed
  if (posix.basename(path).replace(/\.ya?ml$/, '') !== data.id) {
    return [yaml.place({ path: ['id'], message: `the id is ${data.id}, so the file must be called ${data.id}.yaml` })]
  }
  const { template, faults } = withBodies(data, yaml, { pack: pack.name, folder: posix.dirname(path), files }, catalog)
  const checked = checkPlan(template, pack, catalog, sha256)
  if (checked.plan === undefined || faults.length > 0) return [...faults, ...checked.faults.map(yaml.place)]
  return {
    pack: pack.name,
    template: template.id,
    version: pack.version,
    digest: pack.digest,
    title: template.title,
    ...(template.description !== undefined && { description: template.description }),
    risk: template.risk,
    inputs_schema: template.inputs,
    outputs: template.outputs,
    plan: checked.plan,
  }
}

function withBodies(
  template: TemplateSpec,
  yaml: YamlFile,
  { pack, folder, files }: { pack: string; folder: string; files: PackFiles['files'] },
  catalog: OperatorCatalog,
) {
  const faults: FileFault[] = []
  const ids = template.steps.map(({ id }) => id)
  const steps = template.steps.map((step, index) => {
    const names: LiquidNames = {
      variables: templateVariables(template.inputs),
      settled: new Set(ids.slice(0, index)),
      later: new Set(ids.slice(index)),
      data: step.with.data,
    }
    const key = BODIES.find((each) => each in step.with) ?? 'body'
    const body = step.with[key]
    const isLiquid = catalog.get(step.operator)?.wants_scope === true
    const isFile = typeof body === 'string' && /^[^\s{}]+\.liquid$/.test(body)
    for (const [name, text] of Object.entries(step.with)) {
      if (!isLiquid || typeof text !== 'string' || (name === key ? isFile : name !== 'title')) continue
      for (const { offset, message } of checkLiquid(text, names))
        faults.push(yaml.place({ path: ['steps', index, 'with', name], message, offset }))
    }
    if (!isFile) return step
    const path = posix.normalize(posix.join(folder, body))
    const bytes = files.get(path)
    if (bytes === undefined) {
      faults.push(yaml.place({ path: ['steps', index, 'with', key], message: `there is no file ${path} in this pack` }))
      return step
    }
    const text = new TextDecoder().decode(bytes)
    for (const { line, column, message } of checkLiquid(text, names))
      faults.push({ file: `${pack}/${path}`, line, column, message })
    return { ...step, with: { ...step.with, [key]: text } }
  })
  return { template: { ...template, steps }, faults }
}
