import { didYouMean } from '../text/did-you-mean.ts'
import type { BrokenPolicy, LayerPolicies, Policy, PolicyProblem } from './layer.ts'
import { AppliesTo, EVERYWHERE, POLICY_KEYS, PolicyDocument, type PolicyScope } from './schema.ts'
import type { PolicyLayer } from './types.ts'

type Path = (string | number)[]

/** of one policy that are reported */
const MAX_PROBLEMS = 100

/** The source of a document, with a function that locates a path in its text. */
export interface PolicyOrigin {
  layer: PolicyLayer
  source: string
  pack?: string
  author?: string
  /** the stored name; a document with another name is broken */
  name?: string
  locate?: (path: Path, key?: boolean) => { line: number; column: number } | undefined
  /** called with every valid policy and its path in the document */
  onSound?: (policy: Pick<Policy, 'scope' | 'rules'>, at: Path, locate: PolicyOrigin['locate']) => void
}

/** Turns one parsed YAML document (a policy, a list of policies, or nothing) into sound policies and broken ones. */
export function parsePolicies(document: unknown, origin: PolicyOrigin): LayerPolicies {
  const layer: LayerPolicies = { policies: [], broken: [] }
  const entries = Array.isArray(document) ? document : document === null || document === undefined ? [] : [document]
  entries.forEach((entry, index) => {
    const at: Path = Array.isArray(document) ? [index] : []
    const parsed = parsePolicy(entry, at, origin)
    if ('problems' in parsed) layer.broken.push(parsed)
    else layer.policies.push(parsed)
  })
  return layer
}

/** A document of which nothing could be read: the gate is on everywhere. */
export function unreadable(origin: PolicyOrigin, problems: PolicyProblem[]): BrokenPolicy {
  return broken(origin, { name: origin.name, label: origin.name ?? origin.source, scope: EVERYWHERE, problems })
}

function parsePolicy(entry: unknown, at: Path, origin: PolicyOrigin): Policy | BrokenPolicy {
  const parsed = PolicyDocument.safeParse(entry)
  const name = origin.name?.normalize('NFC') ?? readName(entry)
  if (!parsed.success) {
    const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).flatMap((issue): PolicyProblem[] => {
      const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))
      if (issue.code !== 'unrecognized_keys')
        return [problem(origin, [...at, ...path], `${issue.message}${valueHint(entry, issue, path)}`)]
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => {
        const message = `unknown key${didYouMean(key, POLICY_KEYS[String(path[0] ?? '')] ?? [])}`
        return { message, path: [...at, ...path, key], ...origin.locate?.([...at, ...path, key], true) }
      })
    })
    const place = at.length === 0 ? '' : `[${at.join('][')}]`
    return broken(origin, {
      name,
      label: name ?? `${origin.source}${place}`,
      scope: readScope(entry),
      problems: problems.slice(0, MAX_PROBLEMS),
    })
  }
  const { applies_to: scope, rules } = parsed.data
  if (name !== undefined && name !== parsed.data.name) {
    const message = `the document says ${JSON.stringify(parsed.data.name)}, it is stored as ${JSON.stringify(name)}`
    return broken(origin, { name, label: name, scope, problems: [problem(origin, [...at, 'name'], message)] })
  }
  origin.onSound?.({ scope, rules }, at, origin.locate)
  return {
    name: parsed.data.name,
    layer: origin.layer,
    source: origin.source,
    ...(origin.pack !== undefined && { pack: origin.pack }),
    ...(origin.author !== undefined && { author: origin.author }),
    scope,
    rules,
  }
}

function broken(
  origin: PolicyOrigin,
  { name, label, scope, problems }: Pick<BrokenPolicy, 'label' | 'scope' | 'problems'> & { name: string | undefined },
): BrokenPolicy {
  return {
    label,
    ...(name !== undefined && { name }),
    layer: origin.layer,
    source: origin.source,
    ...(origin.pack !== undefined && { pack: origin.pack }),
    scope,
    problems,
  }
}

function problem(origin: PolicyOrigin, path: Path, message: string): PolicyProblem {
  return { message, path, ...origin.locate?.(path) }
}

/** Suggests the nearest valid value, where there is a fixed set. */
function valueHint(entry: unknown, issue: { code: string; values?: unknown }, path: Path): string {
  const got = path.reduce<unknown>((at, key) => field(at, String(key)), entry)
  const { values } = issue
  return typeof got === 'string' && Array.isArray(values) ? didYouMean(got, values.map(String)) : ''
}

function readName(entry: unknown): string | undefined {
  const name = field(entry, 'name')
  return typeof name === 'string' && name !== '' ? name.normalize('NFC') : undefined
}

/** A partly unreadable scope might hide what it was meant to cover, so it counts as everywhere. */
function readScope(entry: unknown): PolicyScope {
  const parsed = AppliesTo.safeParse(field(entry, 'applies_to'))
  return parsed.success ? parsed.data : EVERYWHERE
}

function field(entry: unknown, key: string): unknown {
  if (typeof entry !== 'object' || entry === null) return undefined
  return Object.getOwnPropertyDescriptor(entry, key)?.value
}
