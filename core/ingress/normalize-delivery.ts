import { DomainError } from '../errors.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { createBudget, type EvaluationBudget } from '../expression/evaluation-budget.ts'
import { canonicalText } from '../json/canonical.ts'
import type { NormalizedAlert } from '../trigger/alert.ts'
import { fingerprintOf } from '../trigger/fingerprint.ts'
import { firstText, timeOf } from '../trigger/normalize-fields.ts'
import { severityOf } from '../trigger/parse-alert.ts'
import type { DeliveryScope } from './delivery-scope.ts'
import { type Ingress, ingressId } from './ingress.ts'

/** Cost limit of all expressions of an ingress for one delivery. */
const MAX_UNITS = 300_000

/**
 * Returns the alert of a delivery; undefined when `when` excludes the delivery. Throws `validation_failed` that names the field when an
 * expression has no value or an unfit one.
 */
export function normalizeDelivery(
  ingress: Ingress,
  scope: DeliveryScope,
  sha256: (text: string) => string,
): NormalizedAlert | undefined {
  const budget = createBudget(MAX_UNITS)
  if (ingress.when !== undefined && evaluate('when', ingress.when, { scope, budget }) !== true) return undefined
  const { normalize } = ingress
  const text = (field: keyof typeof normalize): string | undefined => {
    const expression = normalize[field]
    return typeof expression === 'string' ? firstText(textOf(field, expression, { scope, budget })) : undefined
  }
  const source = text('source') ?? ingressId(ingress)
  const service = required('service', text('service'))
  const symptom = required('symptom', text('symptom'))
  const description = text('description')
  const external_id = text('external_id')
  const starts_at = timeOf(text('starts_at'))
  const ends_at = timeOf(text('ends_at'))
  return {
    source,
    service,
    symptom,
    status: statusOf(text('status') ?? 'firing'),
    severity: severityOf(text('severity')),
    fingerprint: fingerprintOf({ source, service, symptom }, sha256),
    ...(external_id !== undefined && { external_id }),
    title: text('title') ?? description ?? symptom,
    ...(description !== undefined && { description }),
    labels: textsOf('labels', normalize.labels, { scope, budget }),
    annotations: textsOf('annotations', normalize.annotations, { scope, budget }),
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    links: [],
    raw_digest: `sha256:${sha256(canonicalText(scope.body))}`,
  }
}

interface Reading {
  scope: DeliveryScope
  budget: EvaluationBudget
}

/** A missing member of a payload is null. */
function textOf(field: string, expression: string, reading: Reading): string | undefined {
  const value = evaluate(field, expression, reading)
  if (value === null) return undefined
  if (typeof value === 'object') throw invalidField(field, 'its value is not text')
  return String(value)
}

function evaluate(field: string, expression: string, { scope, budget }: Reading) {
  try {
    return compileExpression(expression).evaluate(scope, budget)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw invalidField(field, error.message, error)
  }
}

function textsOf(field: string, expressions: Record<string, string>, reading: Reading): Record<string, string> {
  return Object.fromEntries(
    Object.entries(expressions).flatMap(([name, expression]) => {
      const value = textOf(`${field}.${name}`, expression, reading)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function required(field: string, text: string | undefined): string {
  if (text === undefined) throw invalidField(field, 'it has no value')
  return text
}

function statusOf(text: string): 'firing' | 'resolved' {
  if (text === 'firing' || text === 'resolved') return text
  throw invalidField('status', 'it must be firing or resolved')
}

function invalidField(field: string, why: string, cause?: Error): DomainError {
  return new DomainError('validation_failed', `${field}: ${why}`, {}, { cause })
}
