import { z } from 'zod'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { Environment } from '#core/environment/environment.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { JsonObject } from '#core/json/json.ts'
import { named } from '#core/names/known-names.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { Fault } from '#core/plan/fault.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { explainPlan, STEP_OUTCOMES } from '#core/policy/explain-plan.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { policyLayer } from './policy-layer.ts'
import type { FoundPack } from './read-packs.ts'

const Outcome = z.enum(STEP_OUTCOMES, `takes ${STEP_OUTCOMES.join(', ')}`)
const Pointer = z.string().regex(/^\//, 'the place of the input that is refused, such as /url')

/** A test of a pack: the outcome of each step, or the refused input. */
const PackTest = z
  .strictObject({
    name: z.string().min(1).max(200),
    template: z.string(),
    environment: z.string().default('production'),
    inputs: z.record(z.string(), z.unknown()).default({}),
    steps: z.record(z.string(), Outcome, 'every step in order, each with auto, dry_run, gate or deny').optional(),
    roles: z.record(z.string(), z.array(z.string())).optional(),
    refused: Pointer.optional(),
  })
  .refine(({ steps, refused }) => (steps === undefined) !== (refused === undefined), 'give steps, or refused')
const PackTestFile = z.array(PackTest, 'a list of tests').max(500)
type PackTest = z.output<typeof PackTest>

export interface PackTestResults {
  passed: { file: string; name: string }[]
  /** each with its place in the file */
  failed: FileFault[]
}

/**
 * Checks the expectations in `tests/*.yaml` of a pack against its compiled templates and the policies of the platform and of the pack, in
 * the environments of every deployment. Runs nothing.
 */
export function runPackTests(
  { loaded, files, policies, name }: FoundPack,
  operators: OperatorCatalog,
  defaults: readonly PackPolicyDocument[],
): PackTestResults {
  const results: PackTestResults = { passed: [], failed: [] }
  if (loaded === undefined) return results
  const texts = [...defaults, ...policies].map(({ pack, source, text }) => ({
    file: source,
    text,
    layer: 'pack' as const,
    pack,
  }))
  const { layer } = policyLayer(texts, {
    environments: [],
    profiles: [],
    templates: new Map(),
    action_types: [],
    capabilities: [],
    connections: [],
  })
  for (const [path, bytes] of files) {
    if (!/^tests\/.*\.ya?ml$/i.test(path)) continue
    const file = `${name}/${path}`
    const parsed = parseDocument(PackTestFile, file, bytes)
    if (Array.isArray(parsed)) {
      results.failed.push(...parsed)
      continue
    }
    parsed.data.forEach((each, index) => {
      const environment = SEEDED_ENVIRONMENTS.find((known) => known.name === each.environment)
      const faults =
        environment === undefined
          ? named(
              'environment',
              each.environment,
              SEEDED_ENVIRONMENTS.map((known) => known.name),
              ['environment'],
            )
          : judge(each, loaded, environment)
      if (faults.length === 0) results.passed.push({ file, name: each.name })
      for (const fault of faults)
        results.failed.push(
          parsed.yaml.place({ ...fault, path: [index, ...fault.path], message: `${each.name}: ${fault.message}` }),
        )
    })
  }
  return results

  function judge(test: PackTest, pack: LoadedPack, environment: Environment): Fault[] {
    const template = pack.templates.find((each) => each.template === test.template)
    if (template === undefined) {
      const hint = didYouMean(
        test.template,
        pack.templates.map((each) => each.template),
      )
      return [{ path: ['template'], message: `there is no template ${test.template} in this pack${hint}` }]
    }
    const { errors } = validateInputs(template.inputs_schema, test.inputs as JsonObject)
    if (test.refused !== undefined)
      return judgeRefusal(
        test.refused,
        errors.map(({ pointer }) => pointer),
      )
    if (errors.length > 0)
      return errors.map(({ loc, msg }) => ({ path: ['inputs', ...loc], message: `the inputs are refused: ${msg}` }))
    const set = compilePolicies(
      { layers: { pack: layer, overlay: EMPTY_LAYER, console: EMPTY_LAYER }, environment },
      { hash: (text) => text },
    )
    const profile = { name: 'default', requires_approval: [] }
    const { denied, steps } = explainPlan(template.plan, { environment, profile, policies: set, operators })
    return judgeSteps(
      test,
      steps.map((step) => (denied.length > 0 ? { ...step, outcome: 'deny' as const, because: denied } : step)),
    )
  }
}

function judgeRefusal(refused: string, pointers: string[]): Fault[] {
  if (pointers.includes(refused)) return []
  const found = pointers.length === 0 ? 'nothing is' : `${pointers.join(', ')} is`
  return [{ path: ['refused'], message: `${refused} is not refused: ${found}` }]
}

function judgeSteps(
  { steps: expected = {}, roles = {} }: PackTest,
  found: ReturnType<typeof explainPlan>['steps'],
): Fault[] {
  const [wanted, got] = [Object.keys(expected), found.map(({ step }) => step)]
  if (wanted.join() !== got.join())
    return [{ path: ['steps'], message: `the steps are ${got.join(', ')}; expected were ${wanted.join(', ')}` }]
  return [
    ...found.flatMap(({ step, outcome, because }): Fault[] => {
      if (expected[step] === outcome) return []
      const why = because.length === 0 ? '' : `: ${because.join('; ')}`
      return [{ path: ['steps', step], message: `${step} is ${outcome}, expected was ${expected[step]}${why}` }]
    }),
    ...Object.entries(roles).flatMap(([id, names]): Fault[] => {
      const clauses = found.find(({ step }) => step === id)?.approval_roles ?? []
      const asked = clauses.map((clause) => clause.join(' or ')).sort()
      if (asked.join() === [...names].sort().join()) return []
      return [
        {
          path: ['roles', id],
          message: `${id} asks for ${asked.join(', ') || 'no role'}, expected was ${names.join(', ') || 'none'}`,
        },
      ]
    }),
  ]
}
