import type { FileFault } from '#core/file-fault.ts'
import { checkPolicyNames } from '#core/names/check-policy-names.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import { joinLayers, type LayerPolicies, problemText } from '#core/policy/layer.ts'
import type { PolicyOrigin } from '#core/policy/parse.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'

interface PolicyText {
  file: string
  text: string
}

/** Reads a layer of policies, with every fault and every unknown name. */
export function policyLayer(
  texts: readonly (PolicyText & Omit<PolicyOrigin, 'source' | 'locate' | 'onSound'>)[],
  known: KnownNames,
  knownTo: (origin: { pack?: string }) => KnownNames = () => known,
): { layer: LayerPolicies; faults: FileFault[] } {
  const faults: FileFault[] = []
  const layer = joinLayers(
    texts.map(({ file, text, ...origin }) =>
      parsePolicyYaml(text, {
        ...origin,
        source: file,
        onSound: (policy, at, locate) => {
          for (const { path, message, warning } of checkPolicyNames(policy, at, knownTo(origin)))
            faults.push({ file, ...locate?.(path), message, ...(warning && { warning }) })
        },
      }),
    ),
  )
  for (const { source, problems } of layer.broken)
    for (const { line, column, ...problem } of problems)
      faults.push({
        file: source,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
        message: problemText('', problem),
      })
  return { layer, faults }
}
