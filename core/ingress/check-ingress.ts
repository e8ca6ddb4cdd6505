import { DomainError } from '../errors.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { errorOffset } from '../expression/expression-error.ts'
import { isTemplateString } from '../expression/parse-template-string.ts'
import { checkReferences } from '../plan/check-references.ts'
import { checkCondition } from '../plan/check-value.ts'
import type { Fault } from '../plan/fault.ts'
import { checkRule } from '../trigger/rule.ts'
import type { IngressSpec } from './ingress-schema.ts'
import type { VerifySpec } from './verify-schema.ts'

type Path = Fault['path']

const NAMES = { variables: new Map([['body', undefined] as const, ['headers', undefined] as const]) }
/** types that become text; `dyn` is known only when a delivery arrives */
const SCALARS = new Set(['string', 'int', 'uint', 'double', 'bool', 'dyn'])
const NAMED = ['source', 'service', 'symptom', 'status', 'severity', 'title', 'description'] as const

/** Returns every fault in the list of ingresses of a pack; `path` leads to the list. */
export function checkIngresses(list: readonly IngressSpec[], path: Path): Fault[] {
  return list.flatMap((ingress, index) => {
    const at = [...path, index]
    const isRepeated = list.findIndex(({ name }) => name === ingress.name) < index
    return [
      ...(isRepeated ? [{ path: [...at, 'name'], message: `there is an ingress ${ingress.name} already` }] : []),
      ...checkTemplate(ingress.verify, [...at, 'verify']),
      ...(ingress.when === undefined ? [] : checkCondition(ingress.when, [...at, 'when'], NAMES)),
      ...checkNormalize(ingress.normalize, [...at, 'normalize']),
      ...checkRules(ingress, [...at, 'rules']),
    ]
  })
}

/** An unsigned timestamp proves nothing, so a named header must be part of the signed text. */
function checkTemplate(verify: VerifySpec, path: Path): Fault[] {
  if (verify.scheme !== 'hmac') return []
  const at = [...path, 'template']
  const faults: Fault[] = []
  const known = ['body', 'timestamp', 'id']
  const used = Array.from(verify.template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  for (const name of used) {
    if (!known.includes(name))
      faults.push({ path: at, message: `unknown {${name}}: there are {body}, {timestamp}, {id}` })
  }
  if (used.filter((name) => name === 'body').length !== 1) faults.push({ path: at, message: 'must hold {body} once' })
  if (used.includes('timestamp') !== (verify.timestamp_header !== undefined))
    faults.push({ path: at, message: '{timestamp} and timestamp_header belong together' })
  if (used.includes('id') && verify.id_header === undefined)
    faults.push({ path: at, message: '{id} needs an id_header' })
  return faults
}

function checkNormalize({ labels, annotations, ...fields }: IngressSpec['normalize'], path: Path): Fault[] {
  const all: [Path, string | undefined][] = [
    ...Object.entries(fields).map(([name, text]): [Path, string | undefined] => [[...path, name], text]),
    ...Object.entries(labels).map(([name, text]): [Path, string] => [[...path, 'labels', name], text]),
    ...Object.entries(annotations).map(([name, text]): [Path, string] => [[...path, 'annotations', name], text]),
  ]
  return all.flatMap(([at, text]) => (text === undefined ? [] : checkText(text, at)))
}

function checkText(text: string, path: Path): Fault[] {
  if (isTemplateString(text)) return [{ path, message: `this is bare CEL: write it without \${{ }}` }]
  try {
    const expression = compileExpression(text)
    const faults = checkReferences(expression, NAMES).map((each) => ({ path, ...each }))
    const isNamed = NAMED.some((name) => path.at(-1) === name && path.at(-2) === 'normalize')
    const fits = isNamed ? expression.type === 'string' || expression.type === 'dyn' : SCALARS.has(expression.type)
    if (!fits) faults.push({ path, message: `this must be text, not ${expression.type}`, offset: 0 })
    return faults
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ path, message: error.message, offset: errorOffset(error) ?? 0 }]
  }
}

function checkRules({ rules }: IngressSpec, path: Path): Fault[] {
  return rules.flatMap((rule, index) => {
    const at = [...path, index]
    const isRepeated = rules.findIndex(({ name }) => name === rule.name) < index
    return [
      ...(isRepeated ? [{ path: [...at, 'name'], message: `rule name ${rule.name} is used twice` }] : []),
      ...(rule.on === 'ingress' ? [] : [{ path: [...at, 'on'], message: 'a rule of an ingress says on: ingress' }]),
      ...checkRule(rule, at),
    ]
  })
}
