import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import { isoTime } from '#core/time/time.ts'
import type { PrometheusQueryInput } from './schema.ts'

const MAX_BYTES = 1024 * 1024
const MAX_WARNINGS = 20
const WARNING_CHARS = 500
/** of a value that is no number */
const VALUE_CHARS = 4_000

/** A finite number, or Prometheus' word for one that JSON has not: `NaN`, `+Inf`, `-Inf`. */
type Value = number | string
type Sample = { at: string; value: Value }
type Series = {
  labels: Record<string, string>
  value: Value | null
  at?: string
  samples?: Sample[]
  histogram?: JsonObject
}

export type PrometheusOutputs = {
  result_type: string
  series: Series[]
  series_count: number
  /** there was more than the limits allow */
  truncated: boolean
  /** the last value of the only series; null where there is not exactly one */
  value: Value | null
  /** by the label that `by` names */
  values?: Record<string, Value | null>
  warnings: string[]
}

/** The answer of `/api/v1/query` and `/api/v1/query_range`, within the limits of the step. */
export function prometheusOutputs(json: Json | undefined, input: PrometheusQueryInput): PrometheusOutputs {
  const data = isObject(json) && json['status'] === 'success' ? json['data'] : undefined
  if (!isObject(json) || !isObject(data)) throw noAnswer()
  const type = String(data['resultType'])
  const all = seriesOf(type, data['result'])
  const { series, truncated } = within(all, input)
  const [first] = all
  return {
    result_type: type,
    series,
    series_count: all.length,
    truncated,
    value: all.length === 1 && first !== undefined ? first.value : null,
    ...(input.by === undefined ? {} : { values: valuesBy(input.by, series) }),
    warnings: texts(json['warnings']),
  }
}

function seriesOf(type: string, result: Json | undefined): Series[] {
  if (!Array.isArray(result)) throw noAnswer()
  // one sample without labels
  if (type === 'scalar' || type === 'string') return [{ labels: {}, ...lastOf([sampleOf(result)]) }]
  return result.map((each) => {
    if (!isObject(each)) throw noAnswer()
    const labels = isObject(each['metric']) ? textValues(each['metric']) : {}
    if (type !== 'matrix') {
      if (each['value'] !== undefined) return { labels, ...lastOf([sampleOf(each['value'])]) }
      return { labels, value: null, ...histogramOf(each['histogram']) }
    }
    const samples = Array.isArray(each['values']) ? each['values'].map(sampleOf) : []
    return { labels, ...lastOf(samples), samples }
  })
}

function lastOf(samples: Sample[]): { value: Value | null; at?: string } {
  return samples.at(-1) ?? { value: null }
}

function sampleOf(pair: Json): Sample {
  if (!Array.isArray(pair) || pair.length !== 2) throw noAnswer()
  const [seconds, text] = pair
  const at = Number(seconds) * 1_000
  if (!(Math.abs(at) <= 8.64e15)) throw noAnswer()
  return { at: isoTime(Math.round(at)), value: sampleValue(text) }
}

function sampleValue(said: Json | undefined): Value {
  const text = textOf(said)
  const value = Number(text)
  return Number.isFinite(value) && text !== '' ? value : cutText(text, VALUE_CHARS)
}

/** Of a native histogram what a decision can use. */
function histogramOf(pair: Json | undefined): { histogram?: JsonObject } {
  const found = Array.isArray(pair) ? pair[1] : undefined
  if (!isObject(found)) return {}
  return { histogram: { count: sampleValue(found['count']), sum: sampleValue(found['sum']) } }
}

function within(all: Series[], { max_series, max_samples }: PrometheusQueryInput) {
  const series: Series[] = []
  let [samples, bytes] = [0, 0]
  for (const each of all) {
    samples += each.samples?.length ?? 1
    bytes += Buffer.byteLength(JSON.stringify(each))
    if (series.length === max_series || samples > max_samples || bytes > MAX_BYTES) break
    series.push(each)
  }
  return { series, truncated: series.length < all.length }
}

function valuesBy(label: string, series: Series[]): Record<string, Value | null> {
  const values = new Map<string, Value | null>()
  for (const { labels, value } of series) {
    const name = (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? ''
    if (values.has(name)) {
      const message = `two series have the same ${label} (${JSON.stringify(cutText(name, 100))}): aggregate by (${label}), or name another label`
      throw new OperatorError('invalid_request', message)
    }
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_WARNINGS).map((each) => cutText(textOf(each), WARNING_CHARS)) : []
}

function textValues(object: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, textOf(value)]))
}

/** A server may send anything in the place of text. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function noAnswer(): OperatorError {
  return new OperatorError('answer_invalid', 'the target does not answer as Prometheus does: is it one?')
}
